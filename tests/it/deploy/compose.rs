//! A test of `compose.yaml`: it has no unknown keys, and what it names exists.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{are_read, dockerfile, file, filled, nginx, option, port_for_all, understood};
use crate::support::{Test, root, test};

pub(super) fn tests() -> Vec<Test> {
    vec![test(
        "deploy::the_compose_file_is_sound",
        the_compose_file_is_sound,
    )]
}

type Nothing = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Compose {
    name: String,
    services: BTreeMap<String, Service>,
    networks: BTreeMap<String, Network>,
    volumes: BTreeMap<String, Nothing>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Network {
    #[serde(default)]
    internal: bool,
    ipam: Option<Addresses>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addresses {
    config: Vec<Subnet>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Subnet {
    subnet: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    image: String,
    build: Option<Build>,
    restart: String,
    deploy: Option<Deploy>,
    #[serde(default)]
    depends_on: BTreeMap<String, Dependency>,
    #[serde(default)]
    ports: Vec<String>,
    #[serde(default)]
    volumes: Vec<String>,
    networks: Vec<String>,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    healthcheck: Option<HealthCheck>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    cap_drop: Vec<String>,
    #[serde(default)]
    security_opt: Vec<String>,
    stop_grace_period: Option<String>,
    mem_limit: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Build {
    context: String,
    dockerfile: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deploy {
    replicas: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dependency {
    condition: Condition,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Condition {
    ServiceStarted,
    ServiceHealthy,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    dead_code,
    reason = "only that they are there and of the right type is looked at"
)]
struct HealthCheck {
    test: Vec<String>,
    interval: String,
    timeout: String,
    retries: u32,
}

fn compose() -> Compose {
    serde_saphyr::from_str(&file("compose.yaml")).expect("a compose file")
}

/// What a registry is started with, with the values of its variables.
pub(super) fn registry_arguments() -> Vec<String> {
    let compose = compose();
    let words = compose.services["registry"].command.iter();
    words.map(|word| filled(word, &BTreeMap::new())).collect()
}

fn the_compose_file_is_sound() {
    let compose = compose();
    assert_eq!(compose.name, "tool-registry");
    for (name, service) in &compose.services {
        let (_, tag) = service.image.split_once(':').unwrap_or(("", "built"));
        assert_ne!(tag, "latest", "{name}");
        assert_eq!(service.restart, "unless-stopped", "{name}");
        for (other, dependency) in &service.depends_on {
            // The registry's own check is the image's.
            let checked = compose.services[other].healthcheck.is_some() || other == "registry";
            assert!(
                dependency.condition == Condition::ServiceStarted || checked,
                "{name}"
            );
        }
        for network in &service.networks {
            assert!(compose.networks.contains_key(network), "{name}: {network}");
        }
        for volume in &service.volumes {
            let (from, _) = volume.split_once(':').expect("from and to");
            let there = match from.strip_prefix("./") {
                Some(own) => root().join("deploy").join(own).is_file(),
                None => compose.volumes.contains_key(from),
            };
            assert!(there, "{name}: {from}");
        }
        assert!(
            service.ports.is_empty() || name == "proxy",
            "only the proxy is reached"
        );
    }
    let back = &compose.networks["back"];
    assert!(back.internal);
    let subnet = &back.ipam.as_ref().expect("addresses").config[0].subnet;
    assert_eq!(option(&registry_arguments(), "--trusted-proxy"), subnet);
    let listen = nginx::directive("listen");
    assert_eq!(
        compose.services["proxy"].ports,
        [format!("${{REGISTRY_PORT:-8080}}:{listen}")]
    );
    the_registry_fits(&compose.services["registry"]);
    its_places_are_there(&compose);
}

fn the_registry_fits(registry: &Service) {
    let build = registry.build.as_ref().expect("a build");
    assert_eq!(build.context, "..");
    assert!(root().join(&build.dockerfile).is_file());
    assert!(
        registry
            .deploy
            .as_ref()
            .is_some_and(|deploy| deploy.replicas > 1)
    );
    assert!(registry.read_only && registry.cap_drop == ["ALL"]);
    assert_eq!(registry.security_opt, ["no-new-privileges:true"]);
    assert_eq!(registry.stop_grace_period.as_deref(), Some("30s"));
    assert_eq!(registry.mem_limit.as_deref(), Some("1g"));
    let arguments = registry_arguments();
    understood(&arguments);
    // The image checks its health there.
    let port = port_for_all(&dockerfile::arguments(), "--listen");
    assert_eq!(port_for_all(&arguments, "--listen"), port);
    assert!(dockerfile::ports().contains(&port_for_all(&arguments, "--metrics")));
    assert!(option(&arguments, "--public-url").starts_with("http://localhost:"));
}

/// The database and the bucket are those of the services beside the registry.
fn its_places_are_there(compose: &Compose) {
    let environment = &compose.services["registry"].environment;
    are_read(environment.keys().map(String::as_str));
    let (database, storage) = (&compose.services["database"], &compose.services["storage"]);
    let user = &database.environment["POSTGRES_USER"];
    let name = &database.environment["POSTGRES_DB"];
    let url = format!("postgres://{user}@database/{name}");
    assert_eq!(environment["TOOL_HUB_REGISTRY_DATABASE"], url);
    for (ours, theirs) in [
        ("PGPASSWORD", &database.environment["POSTGRES_PASSWORD"]),
        ("AWS_ACCESS_KEY_ID", &storage.environment["ROOT_ACCESS_KEY"]),
        (
            "AWS_SECRET_ACCESS_KEY",
            &storage.environment["ROOT_SECRET_KEY"],
        ),
    ] {
        assert_eq!(&environment[ours], theirs);
        assert!(
            theirs.starts_with("${") && theirs.contains(":?"),
            "no secret has a default"
        );
    }
    let port = option(&storage.command, "--port");
    assert_eq!(
        environment["AWS_ENDPOINT_URL"],
        format!("http://storage{port}")
    );
    let bucket = environment["TOOL_HUB_REGISTRY_STORAGE"].replace("s3://", "/objects/");
    assert!(storage.volumes[0].ends_with(&format!(":{bucket}")));
    // Clients do not reach the bucket.
    assert!(registry_arguments().contains(&"--proxy-downloads".to_owned()));
}
