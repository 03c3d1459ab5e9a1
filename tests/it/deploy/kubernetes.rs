//! Tests of `kubernetes.yaml`: no key is unknown, and the objects fit each other and the image.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use k8s_openapi::Resource;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{
    ConfigMap, Container, EnvVar, PodSpec, Probe, Service, ServiceAccount,
};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_hub_registry_server::Limits;

use super::{are_read, dockerfile, file, filled, is_served, port_for_all, understood};
use crate::support::{Test, test};

const NAME: &str = "tool-registry";

pub(super) fn tests() -> Vec<Test> {
    vec![
        test(
            "deploy::kubernetes_knows_every_key",
            kubernetes_knows_every_key,
        ),
        test("deploy::the_pods_run_the_image", the_pods_run_the_image),
        test(
            "deploy::the_pods_are_asked_what_there_is",
            the_pods_are_asked_what_there_is,
        ),
        test("deploy::the_objects_fit_together", the_objects_fit_together),
        test("deploy::the_pods_may_do_little", the_pods_may_do_little),
    ]
}

fn documents() -> Vec<Value> {
    serde_saphyr::from_multiple(&file("kubernetes.yaml")).expect("YAML")
}

/// The document of this kind, read as Kubernetes' own type. Fails at a key that the type does not
/// have.
#[track_caller]
fn object<K: Resource + DeserializeOwned + Serialize + Debug>() -> K {
    let documents = documents();
    let mut of_kind = documents
        .into_iter()
        .filter(|document| document["kind"] == K::KIND && document["apiVersion"] == K::API_VERSION);
    let document = of_kind
        .next()
        .unwrap_or_else(|| panic!("there is no {}", K::KIND));
    assert!(of_kind.next().is_none(), "there is one {}", K::KIND);
    assert_eq!(document["metadata"]["name"], NAME);
    let typed: K = serde_json::from_value(document.clone()).expect(K::KIND);
    assert_eq!(serde_json::to_value(&typed).expect("JSON"), document);
    typed
}

fn kubernetes_knows_every_key() {
    object::<ConfigMap>();
    object::<ServiceAccount>();
    object::<Deployment>();
    object::<Service>();
    object::<HorizontalPodAutoscaler>();
    object::<PodDisruptionBudget>();
    assert_eq!(documents().len(), 6, "no other is there unlooked at");
}

fn pod() -> PodSpec {
    let deployment = object::<Deployment>().spec.expect("a spec");
    deployment.template.spec.expect("a pod")
}

fn container() -> Container {
    let mut containers = pod().containers;
    assert_eq!(containers.len(), 1);
    containers.remove(0)
}

fn annotations() -> BTreeMap<String, String> {
    let deployment = object::<Deployment>().spec.expect("a spec");
    let about = deployment.template.metadata.expect("labels");
    about.annotations.expect("annotations")
}

/// The variables in the ConfigMap.
fn settings() -> BTreeMap<String, String> {
    object::<ConfigMap>().data.expect("settings")
}

fn the_pods_run_the_image() {
    let container = container();
    let arguments: Vec<String> = container.args.expect("arguments");
    let arguments: Vec<String> = arguments.iter().map(|it| filled(it, &settings())).collect();
    understood(&arguments);
    let ports = container.ports.expect("ports");
    let served = ["--listen", "--metrics"].map(|name| i32::from(port_for_all(&arguments, name)));
    let named: Vec<i32> = ports.iter().map(|port| port.container_port).collect();
    assert_eq!(named, served);
    let scraped = &annotations()["prometheus.io/port"];
    assert_eq!(*scraped, served[1].to_string());
    let exposed = dockerfile::ports();
    for port in &ports {
        assert!(exposed.contains(&u16::try_from(port.container_port).expect("a port")));
    }
    let mounts = container.volume_mounts.expect("a volume");
    let image = dockerfile::variables();
    assert_eq!(mounts[0].mount_path, image["TOOL_HUB_REGISTRY_DATA"]);
    let volumes = pod().volumes.expect("volumes");
    assert_eq!(volumes[0].name, mounts[0].name);

    let own: Vec<EnvVar> = container.env.expect("variables");
    are_read(own.iter().map(|variable| variable.name.as_str()));
    are_read(settings().keys().map(String::as_str));
    let from = container.env_from.expect("settings");
    assert_eq!(from[0].config_map_ref.as_ref().expect("a map").name, NAME);
    // The comment at the file's beginning makes the secret with these keys.
    let text = file("kubernetes.yaml");
    assert!(text.contains(&format!("kubectl create secret generic {NAME} ")));
    for variable in own {
        let source = variable.value_from.expect("a secret is not written down");
        let secret = source.secret_key_ref.expect("a secret");
        assert_eq!(secret.name, NAME);
        assert!(
            text.contains(&format!("--from-literal={}=", secret.key)),
            "{}",
            secret.key
        );
    }
}

fn the_pods_are_asked_what_there_is() {
    let container = container();
    let names: Vec<String> = container
        .ports
        .into_iter()
        .flatten()
        .filter_map(|port| port.name)
        .collect();
    let asked = |probe: Option<Probe>| {
        let get = probe.expect("a probe").http_get.expect("a path");
        let path = get.path.expect("a path");
        is_served(&path);
        assert!(matches!(&get.port, IntOrString::String(name) if names.contains(name)));
    };
    asked(container.startup_probe);
    asked(container.readiness_probe);
    asked(container.liveness_probe);
}

fn the_objects_fit_together() {
    let deployment = object::<Deployment>().spec.expect("a spec");
    assert_eq!(deployment.replicas, None, "the autoscaler says how many");
    let labels = deployment
        .template
        .metadata
        .and_then(|it| it.labels)
        .expect("labels");
    let selects = |selector: &LabelSelector| {
        let wanted = selector.match_labels.as_ref().expect("labels");
        assert!(
            wanted
                .iter()
                .all(|(name, value)| labels.get(name) == Some(value))
        );
    };
    selects(&deployment.selector);
    for spread in pod().topology_spread_constraints.into_iter().flatten() {
        selects(&spread.label_selector.expect("labels"));
    }
    let budget = object::<PodDisruptionBudget>().spec.expect("a spec");
    selects(&budget.selector.expect("labels"));
    assert_eq!(budget.max_unavailable, Some(IntOrString::Int(1)));

    let service = object::<Service>().spec.expect("a spec");
    assert_eq!(service.selector.as_ref(), Some(&labels));
    let ports = service.ports.expect("ports");
    assert_eq!(
        ports[0].target_port,
        Some(IntOrString::String("http".to_owned()))
    );
    assert_eq!(pod().service_account_name.as_deref(), Some(NAME));

    let scaler = object::<HorizontalPodAutoscaler>().spec.expect("a spec");
    assert_eq!(scaler.scale_target_ref.kind, Deployment::KIND);
    assert_eq!(scaler.scale_target_ref.name, NAME);
    assert!(
        scaler.min_replicas >= Some(2),
        "one may go while another serves"
    );
    assert!(scaler.max_replicas > 2);
    let requests = container()
        .resources
        .and_then(|it| it.requests)
        .expect("requests");
    assert!(
        requests.contains_key("cpu"),
        "the share of which the autoscaler goes by"
    );
}

fn the_pods_may_do_little() {
    let pod = pod();
    assert_eq!(pod.automount_service_account_token, Some(false));
    let rules = pod.security_context.clone().expect("rules");
    let (user, group) = dockerfile::user();
    assert_eq!(
        (rules.run_as_user, rules.run_as_group),
        (Some(user), Some(group))
    );
    assert_eq!(
        (rules.run_as_non_root, rules.fs_group),
        (Some(true), Some(group))
    );
    let seccomp = rules.seccomp_profile.expect("a profile");
    assert_eq!(seccomp.type_, "RuntimeDefault");
    let container = container();
    let rules = container.security_context.expect("rules");
    assert_eq!(rules.allow_privilege_escalation, Some(false));
    assert_eq!(rules.read_only_root_filesystem, Some(true));
    let dropped = rules
        .capabilities
        .and_then(|it| it.drop)
        .expect("capabilities");
    assert_eq!(dropped, ["ALL"]);

    let hook = container
        .lifecycle
        .and_then(|it| it.pre_stop)
        .expect("a pause");
    let pause = hook.sleep.expect("a pause").seconds;
    let open = Limits::standard().shutdown_grace_max;
    let all = Duration::from_secs(pause.unsigned_abs()) + open;
    let patience = pod.termination_grace_period_seconds.expect("seconds");
    assert!(Duration::from_secs(patience.unsigned_abs()) > all);
}
