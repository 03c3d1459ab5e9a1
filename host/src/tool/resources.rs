//! Lists the resources and resource templates of a loaded tool, and reads resources.

use std::sync::Arc;

use tool_hub_manifest::contract::{EmbeddedResource, Failure};
use wasmtime::component::Val;

use crate::call::plan::Plan;
use crate::call::size::Size;
use crate::component::contract_exports::ContractExport;
use crate::interaction::{Interaction, Nobody};
use crate::offerings::resource::{ResourceEntry, ResourceTemplate, all, entry, part, template};
use crate::secret::mask::Mask;
use crate::tool::{Request, Tool};

impl Tool {
    /// Every single resource that the tool lists now.
    ///
    /// This runs the guest as a call does.
    ///
    /// # Errors
    /// When the tool offers none, or goes wrong as a call may go wrong.
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn resources(&self) -> Result<Vec<ResourceEntry>, Failure> {
        self.listed(ContractExport::ListResources, "resources", entry)
            .await
    }

    /// Every family of resources.
    ///
    /// This runs the guest as a call does.
    ///
    /// # Errors
    /// The same as [`Tool::resources`].
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>, Failure> {
        let what = "templates of resources";
        self.listed(ContractExport::ListTemplates, what, template)
            .await
    }

    /// Reads the resource at `uri`: one part, or several when it is a folder.
    ///
    /// This runs the guest as a call does.
    ///
    /// # Errors
    /// When there is none, or the call goes wrong.
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn read_resource(
        &self,
        uri: &str,
        interaction: Arc<dyn Interaction>,
    ) -> Result<Vec<EmbeddedResource>, Failure> {
        let request = Request {
            name: ContractExport::ReadResource.function(),
            plan: self.contract_plan(ContractExport::ReadResource),
            confirm: None,
            input_bytes: uri.len(),
        };
        let values = |_: &Plan| Ok(vec![Val::String(uri.to_owned())]);
        let read = |_: &Plan, result: Option<&Val>| all(result, "parts of a resource", part);
        self.run(request, interaction, values, read).await
    }

    async fn listed<T>(
        &self,
        export: ContractExport,
        what: &str,
        one: impl Fn(&Val) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure>
    where
        Vec<T>: Size + Mask,
    {
        let request = Request {
            name: export.function(),
            plan: self.contract_plan(export),
            confirm: None,
            input_bytes: 0,
        };
        let read = |_: &Plan, result: Option<&Val>| all(result, what, one);
        self.run(request, Arc::new(Nobody), |_| Ok(Vec::new()), read)
            .await
    }
}
