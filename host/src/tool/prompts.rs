//! Lists the prompts of a loaded tool, and fills them in.

use std::sync::Arc;

use tool_hub_manifest::contract::Failure;
use wasmtime::component::Val;

use crate::call::plan::Plan;
use crate::component::contract_exports::ContractExport;
use crate::interaction::{Interaction, Nobody};
use crate::offerings::prompt::{Prompt, PromptMessage, messages, prompts};
use crate::tool::{Request, Tool};
use crate::values::val::TypeMismatch;

impl Tool {
    /// Every prompt of the tool. The contract demands that the list is always the same.
    ///
    /// This runs the guest as a call does.
    ///
    /// # Errors
    /// When the tool offers none, or goes wrong as a call may go wrong.
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn prompts(&self) -> Result<Vec<Prompt>, Failure> {
        let request = Request {
            name: ContractExport::ListPrompts.function(),
            plan: self.contract_plan(ContractExport::ListPrompts),
            confirm: None,
            input_bytes: 0,
        };
        let read = |_: &Plan, result: Option<&Val>| prompts(result.ok_or(TypeMismatch)?);
        self.run(request, Arc::new(Nobody), |_| Ok(Vec::new()), read)
            .await
    }

    /// Fills the prompt `name` in with `arguments`, pairs of name and value.
    ///
    /// This runs the guest as a call does.
    ///
    /// # Errors
    /// When the tool has no such prompt, the arguments are wrong, or the call goes wrong.
    ///
    /// # Panics
    /// The same as [`Tool::call`].
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: &[(String, String)],
        interaction: Arc<dyn Interaction>,
    ) -> Result<Vec<PromptMessage>, Failure> {
        let pairs = arguments.iter();
        let bytes: usize = pairs.map(|(name, value)| name.len() + value.len()).sum();
        let request = Request {
            name: ContractExport::GetPrompt.function(),
            plan: self.contract_plan(ContractExport::GetPrompt),
            confirm: None,
            input_bytes: name.len() + bytes,
        };
        let values = |_: &Plan| {
            let string = |text: &String| Val::String(text.clone());
            let pair =
                |(name, value): &(String, String)| Val::Tuple(vec![string(name), string(value)]);
            let pairs = Val::List(arguments.iter().map(pair).collect());
            Ok(vec![Val::String(name.to_owned()), pairs])
        };
        let read = |_: &Plan, result: Option<&Val>| messages(result);
        self.run(request, interaction, values, read).await
    }
}
