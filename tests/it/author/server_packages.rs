//! Tests of tools that are made of the MCP servers of other people's packages.

use serde_json::{Value, json};

use crate::support::loading::load;
use crate::support::ran::says;
use crate::support::{Home, Need, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::server_of_pypi", server_of_pypi)
            .needs(&[Need::PythonGuest, Need::PythonPackages]),
        test("author::tools_of_modules", tools_of_modules)
            .needs(&[Need::PythonGuest, Need::PythonPackages]),
        test("author::spec_of_llama_index", spec_of_llama_index)
            .needs(&[Need::PythonGuest, Need::PythonPackages]),
        test("author::server_of_npm", server_of_npm)
            .needs(&[Need::JavascriptGuest, Need::NodePackages]),
        test("author::server_of_npm_with_files", server_of_npm_with_files)
            .needs(&[Need::JavascriptGuest, Need::NodePackages]),
        test("author::tools_for_the_ai_sdk", tools_for_the_ai_sdk)
            .needs(&[Need::JavascriptGuest, Need::NodePackages]),
        test("author::package_without_a_server", package_without_a_server)
            .needs(&[Need::NodePackages]),
    ]
}

/// The functions that agents see.
fn listed(home: &Home) -> Vec<Value> {
    let listed = home.tool("export --format mcp").json();
    listed.as_array().expect("functions").clone()
}

fn server_of_pypi() {
    let home = Home::new();
    home.tool("new clock --from pypi:mcp-server-time==2026.10.19")
        .ok();
    let project = home.work().join("clock");
    let read = |path: &str| std::fs::read_to_string(project.join(path)).expect("a file");
    assert_eq!(read("requirements.txt"), "mcp-server-time==2026.10.19\n");
    home.tool("build clock").ok();
    // The lock names no package that modules of the build stand in for.
    assert!(!read("pylock.toml").contains("\"pydantic"));
    load(&home, "./clock", &[]);

    let listed = listed(&home);
    let names: Vec<&str> = listed.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["clock__get_current_time", "clock__convert_time"]);
    let convert = &listed[1];
    assert_eq!(convert["description"], "Convert time between timezones");
    assert_eq!(convert["annotations"]["readOnlyHint"], true);
    let required = &convert["inputSchema"]["required"];
    assert_eq!(
        *required,
        json!(["source_timezone", "time", "target_timezone"])
    );
    // A schema that no type of WIT would have: a reference to a model.
    let result = &convert["outputSchema"];
    assert_eq!(result["properties"]["source"]["$ref"], "#/$defs/TimeResult");

    let arguments =
        r#"{"source_timezone":"Europe/Paris","time":"10:00","target_timezone":"Asia/Kathmandu"}"#;
    let call = [
        "call",
        "clock.convert_time",
        "--json-args",
        arguments,
        "--json",
    ];
    let answer = home.run(call).json();
    let structured = &answer["structured"];
    assert_eq!(structured["target"]["timezone"], "Asia/Kathmandu");
    assert!(structured["source"]["is_dst"].is_boolean());
    // The server's own refusal, and its check of arguments.
    for (arguments, said) in [
        (r#"{"timezone":"Nowhere/Here"}"#, "Invalid timezone"),
        ("{}", "Field required"),
    ] {
        let call = ["call", "clock.get_current_time", "--json-args", arguments];
        let failed = home.run(call);
        assert_ne!(failed.code(), 0);
        assert!(failed.stderr().contains(said), "{}", failed.stderr());
    }
}

/// A package without a server: functions for LangChain, in several modules.
fn tools_of_modules() {
    let home = Home::new();
    let made = home.run("new agent --from pypi:langchain-agent-tools==0.1.0".split(' '));
    assert_eq!(made.code(), 0, "{}", made.stderr());
    let said = "the directory `home` is one that it looks for";
    assert!(made.stderr().contains(said), "{}", made.stderr());
    home.tool("build agent").ok();
    let kept = home.work().join("kept");
    std::fs::create_dir(&kept).expect("a directory");
    let granted = format!("home={}", kept.display());
    load(&home, "./agent", &["--allow-dir", &granted]);

    let listed = listed(&home);
    assert_eq!(listed.len(), 11, "{listed:?}");
    let find = |name: &str| listed.iter().find(|it| it["name"] == name).expect(name);
    let forecast = find("agent__get_weather_forecast");
    let schema = &forecast["inputSchema"];
    assert_eq!(schema["properties"]["days"]["default"], 7);
    assert_eq!(schema["required"], json!(["location"]));
    let description = find("agent__check_pii")["description"].as_str();
    assert!(description.is_some_and(|it| it.starts_with("Scan text for PII")));

    let found = home.run(["call", "agent.check_pii", "text=ada@b.example wrote"]);
    assert!(found.stdout().contains("[EMAIL ADDRESS REDACTED] wrote"));
    let stored = home.run(["call", "agent.store_memory", "key=a", "value=b"]);
    assert!(
        stored.stdout().contains("Stored memory"),
        "{}",
        stored.stderr()
    );
    assert!(kept.join(".langchain_agent_memory/memory.json").is_file());
    let failed = home.run(["call", "agent.store_memory", "key=a"]);
    assert_ne!(failed.code(), 0);
}

/// A package within the one of its framework: methods of a tool spec.
fn spec_of_llama_index() {
    let home = Home::new();
    home.tool("new web --from pypi:llama-index-tools-requests==0.7.0")
        .ok();
    let tools = home.work().join("web/tools.json");
    let tools = std::fs::read_to_string(tools).expect("tools.json");
    let tools: Value = serde_json::from_str(&tools).expect("JSON");
    let modules = json!([
        "llama_index.tools.requests",
        "llama_index.tools.requests.base"
    ]);
    assert_eq!(tools["server"]["tools_of"], modules);
    home.tool("build web").ok();
    load(&home, "./web", &[]);
    let listed = listed(&home);
    let names: Vec<&str> = listed.iter().filter_map(|it| it["name"].as_str()).collect();
    let expect = ["get", "post", "patch", "put", "delete"].map(|it| format!("web__{it}_request"));
    assert_eq!(names, expect);
    // LlamaIndex writes it so, with the types as they stand in the source.
    let post = listed[1]["description"].as_str().unwrap_or_default();
    let signature = "post_request(url_template: str, path_params: dict[str, str] = None, \
                     query_params: dict[str, str] = None, body: Optional[dict] = None)\n";
    assert!(post.starts_with(signature), "{post}");
    let said = home.run(["call", "web.get_request", "url_template=nowhere"]);
    assert!(
        said.stdout().contains("did not include a hostname"),
        "{}",
        said.stderr()
    );
}

fn server_of_npm() {
    let home = Home::new();
    home.tool("new hello --from npm:mcp-hello-world@1.1.2").ok();
    let project = home.work().join("hello");
    let lock = std::fs::read_to_string(project.join("package-lock.json")).expect("a lock");
    assert!(lock.contains("\"integrity\": \"sha512-"));
    home.tool("build hello").ok();
    load(&home, "./hello", &[]);
    let listed = listed(&home);
    let names: Vec<&str> = listed.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["hello__echo", "hello__debug", "hello__add"]);
    let schema = &listed[2]["inputSchema"];
    assert_eq!(schema["properties"]["a"]["type"], "number");
    let sum = home.tool("call hello.add a=2 b=40").ok();
    assert!(sum.contains("42"), "{sum}");
    // The real SDK checks what the server asks for.
    let failed = home.run(["call", "hello.add", "--json-args", r#"{"a":"two"}"#]);
    assert_ne!(failed.code(), 0);
}

/// A server that writes and reads a file of a directory that it is granted, and no other.
fn server_of_npm_with_files() {
    let home = Home::new().with("MEMORY_FILE_PATH", "/data/memory.jsonl");
    home.tool("new memory --from npm:@modelcontextprotocol/server-memory@2026.8.31")
        .ok();
    let manifest = home.work().join("memory/tool.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    assert!(text.contains("MEMORY_FILE_PATH"), "{text}");
    let asked = "[capabilities]\ndirectories = [{ name = \"data\", access = \"read-write\", why = \"what it keeps\" }]\n";
    home.write("memory/tool.toml", text.replace("[capabilities]\n", asked));
    home.tool("build memory").ok();
    let data = home.work().join("data");
    std::fs::create_dir(&data).expect("a directory");
    let granted = format!("data:read-write={}", data.display());
    let flags = [
        "--allow-dir",
        &granted,
        "--allow-plain-var",
        "MEMORY_FILE_PATH",
    ];
    load(&home, "./memory", &flags);

    let entities =
        r#"{"entities":[{"name":"Ada","entityType":"person","observations":["wrote é"]}]}"#;
    let call = ["call", "memory.create_entities", "--json-args", entities];
    home.run(call).ok();
    let kept = std::fs::read_to_string(data.join("memory.jsonl")).expect("a file");
    assert!(kept.contains("wrote é"), "{kept}");
    // Another call finds it, in an instance of its own.
    let graph = home.tool("call memory.read_graph").ok();
    assert!(graph.contains("wrote é"), "{graph}");
    // A link leads nowhere else, and no other path is there.
    let outside = home.write("canary.jsonl", kept.replace("wrote é", "canary"));
    std::os::unix::fs::symlink(&outside, data.join("link.jsonl")).expect("a link");
    for path in [
        "/data/link.jsonl",
        "/data/../canary.jsonl",
        &*outside.to_string_lossy(),
    ] {
        let read = home.run_with(
            &["call", "memory.read_graph"],
            &[("MEMORY_FILE_PATH", path)],
        );
        let said = read.stdout() + &read.stderr();
        assert!(!said.contains("canary\""), "{path}: {said}");
    }
}

fn tools_for_the_ai_sdk() {
    let home = Home::new();
    home.tool("new web --from npm:@parallel-web/ai-sdk-tools@0.2.1")
        .ok();
    home.tool("build web").ok();
    load(&home, "./web", &[]);
    let listed = listed(&home);
    let names: Vec<&str> = listed.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["web__extract_tool", "web__search_tool"]);
    let description = listed[1]["description"].as_str().unwrap_or_default();
    assert!(description.starts_with("Purpose: Perform web searches"));
    let schema = &listed[1]["inputSchema"];
    assert_eq!(schema["required"][0], "objective");
    assert_eq!(schema["properties"]["mode"]["default"], "agentic");
    // The schemas of zod refuse, and what the package says of a missing key reaches the caller.
    let wrong = home.run(["call", "web.extract_tool", "--json-args", r#"{"urls":[1]}"#]);
    says(&wrong, 2, "expected string, received number");
    let keyless = home.run(["call", "web.search_tool", "objective=ships"]);
    says(&keyless, 2, "PARALLEL_API_KEY");
}

fn package_without_a_server() {
    let home = Home::new();
    for (from, problem) in [
        ("npm:is-odd@3.0.1", "is-odd 3.0.1 installs no program"),
        ("npm:../here", "`../here` is not a package of npm"),
    ] {
        let refused = home.run(["new", "other", "--from", from]);
        assert_eq!(refused.code(), 1);
        assert!(refused.stderr().contains(problem), "{}", refused.stderr());
    }
}
