//! Tests of tools made from a Gradio app, whose functions call the app from inside the sandbox.

use std::process::Stdio;

use crate::public_clients::packages;
use crate::support::loading::load;
use crate::support::picture::picture_file;
use crate::support::{Home, Need, RegistryProcess, Server, Test, test};

pub(super) fn tests() -> Vec<Test> {
    vec![
        test("author::an_app_of_gradio", an_app_of_gradio)
            .needs(&[Need::PythonGuest, Need::PythonPackages]),
        test(
            "author::an_app_that_answers_oddly",
            an_app_that_answers_oddly,
        ),
        test("author::what_is_no_app_of_gradio", what_is_no_app_of_gradio),
    ]
}

const APP: &str = r#"
import gradio as gr
from PIL import ImageOps

def greet(name, excited=True):
    """Greets somebody."""
    if name == "nobody":
        raise gr.Error("nobody cannot be greeted")
    return f"Hello, {name}" + ("!" if excited else ".")

def weigh(kilograms, planet):
    return kilograms * {"Earth": 1, "Mars": 0.5}[planet], {"on": planet}

with gr.Blocks() as demo:
    name = gr.Textbox(label="Name", info="'\"\"\"); import os")
    excited = gr.Checkbox(label="Excited", value=True)
    greeting = gr.Textbox(label="Greeting")
    gr.Button().click(greet, [name, excited], greeting, api_name="greet")
    kilograms = gr.Number(label="Kilograms")
    planet = gr.Dropdown(["Earth", "Mars"], label="Planet \"\"\"\n*/ x", value="Earth")
    weight, place = gr.Number(label="Weight"), gr.JSON(label="Place")
    gr.Button().click(weigh, [kilograms, planet], [weight, place], api_name="weigh")
    picture, inverted = gr.Image(type="pil", label="Picture"), gr.Image(format="png", label="Inverted")
    gr.Button().click(ImageOps.invert, picture, inverted, api_name="invert")
    sound, echo = gr.Audio(label="Sound"), gr.Audio(label="Echo")
    gr.Button().click(lambda sound: sound, sound, echo, api_name="echo")
    document = gr.File(label="Document")
    gr.Button().click(lambda document: None, document, greeting, api_name="read")

_, url, _ = demo.launch(prevent_thread_lock=True, quiet=True)
print(url, flush=True)
demo.block_thread()
"#;

fn app(home: &Home) -> Server {
    home.write("app.py", APP);
    let mut command = home.program_among("python3", &[]);
    command
        .arg("app.py")
        .env("PYTHONPATH", packages::python(&["gradio==6.0.0"]))
        .env("GRADIO_ANALYTICS_ENABLED", "False")
        .env("GRADIO_TEMP_DIR", home.work().join("files"))
        // It prints where its own functions failed.
        .stderr(Stdio::null());
    Server::start(command)
}

fn an_app_of_gradio() {
    let home = Home::new();
    let app = app(&home);
    let url = app.url().trim_end_matches('/');
    let made = home.run(["new", "app", "--from-gradio", app.url()]);
    made.ok();
    let skipped = "left out: `/read`: ";
    assert!(made.stderr().contains(skipped), "{}", made.stderr());
    home.tool("build app").ok();

    load(&home, "./app", &["--as", "shut"]);
    let shut = home.tool("call shut.greet name=Ada");
    assert_eq!(shut.code(), 3, "{}", shut.stderr());
    let refused = format!("may not reach `{url}`");
    assert!(shut.stderr().contains(&refused), "{}", shut.stderr());

    load(&home, "./app", &["--allow-network", url]);
    assert_eq!(home.tool("call app.greet name=Ada").ok(), "Hello, Ada!\n");
    let calm = home.tool("call app.greet name=Ada excited=false").ok();
    assert_eq!(calm, "Hello, Ada.\n");
    let failed = home.tool("call app.greet name=nobody");
    let why = "the app failed: it does not say why";
    assert!(failed.stderr().contains(why), "{}", failed.stderr());

    let weighed = home.tool("call app.weigh kilograms=8 planet=Mars").json();
    assert_eq!(weighed["weight"], 4.0);
    assert_eq!(weighed["place"], r#"{"on": "Mars"}"#);
    let weighed = home.tool("call app.weigh kilograms=8").json();
    assert_eq!(weighed["weight"], 8.0);

    home.write("black.png", picture_file(8, 8));
    home.tool("call app.invert image=@black.png --output white.png")
        .ok();
    let white = std::fs::read(home.work().join("white.png")).expect("a picture");
    let mut reader = png::Decoder::new(std::io::Cursor::new(white))
        .read_info()
        .expect("a picture in PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("its pixels");
    assert_eq!((frame.width, frame.height), (8, 8));

    home.write("beep.wav", beep());
    home.tool("call app.echo sound=@beep.wav --output echo.wav")
        .ok();
    let echo = std::fs::read(home.work().join("echo.wav")).expect("a sound");
    assert!(echo.starts_with(b"RIFF"), "{:?}", &echo[..4]);

    drop(app);
    let gone = home.tool("call app.greet name=Ada");
    let unreachable = "cannot be reached (ConnectionRefused)";
    assert!(gone.stderr().contains(unreachable), "{}", gone.stderr());
}

/// Eight thousand samples of silence.
fn beep() -> Vec<u8> {
    let mut wav = b"RIFF".to_vec();
    wav.extend(16_036_u32.to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    for field in [1_u16, 1, 8000, 0, 16000, 0, 2, 16] {
        wav.extend(field.to_le_bytes());
    }
    wav.extend(b"data");
    wav.extend(16_000_u32.to_le_bytes());
    wav.extend([0; 16_000]);
    wav
}

/// The module that such a tool has, outside of the sandbox and with an app that says anything.
const ODDLY: &str = r#"
import sys, types
class Err(Exception):
    pass
def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
class Http:
    def __getattr__(self, name):
        return lambda *_: None
module("componentize_py_types", Err=Err, Ok=None)
module("wit_world")
module("wit_world.imports", types=Http())
module("wit_world.imports.outgoing_handler", handle=None)
module("wit_world.imports.streams", StreamError_Closed=None)
source = open("gradio_app.py").read()
for place, name in {"http_types": "types", "scheme": "'http'", "authority": "'h'", "path": "''"}.items():
    source = source.replace("{{" + place + "}}", name)
app = types.ModuleType("app")
exec(source, vars(app))

picture = types.SimpleNamespace(media_type="image/png", data=b"")
odd = ["{}", "[]", "[1]", "null", "7", '{"event_id": 3}', "no", "[" * 100_000]
tried = 0
def fails(call):
    global tried
    try:
        call()
    except Err:
        tried += 1
for answer in odd:
    vars(app)["request"] = lambda *_: ("application/json", answer.encode())
    fails(lambda: app.media(picture))
    fails(lambda: app.call("f", [], 1))
    vars(app)["request"] = lambda *_: ("application/json", b'{"event_id": "1"}')
    vars(app)["events"] = lambda _: [("complete", answer)]
    fails(lambda: app.call("f", [], 2))
for value in ({"path": 3}, {"url": []}, {"url": "data:;base64,a"}, 5):
    fails(lambda: app.file(value))
fails(lambda: app.texts(5))
fails(lambda: app.number(10**400))
print(tried)
"#;

fn an_app_that_answers_oddly() {
    let home = Home::new();
    let module = include_str!("../../../cli/templates/gradio/gradio_app.py");
    home.write("gradio_app.py", module);
    let mut python = home.program_among("python3", &[]);
    let ran = python.args(["-c", ODDLY]).output().expect("Python");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{told}");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "30\n");
}

fn what_is_no_app_of_gradio() {
    let home = Home::new();
    let server = RegistryProcess::start();
    for (url, expect) in [
        (server.url().to_owned(), "it answers with status 4"),
        ("http://127.0.0.1:1".to_owned(), "Connection refused"),
        (
            "ftp://127.0.0.1".to_owned(),
            "is not where an app of Gradio is",
        ),
        (
            "http://me:secret@127.0.0.1".to_owned(),
            "write its address without user and password",
        ),
    ] {
        let refused = home.run(["new", "app", "--from-gradio", &url]);
        assert_eq!(refused.code(), 1, "{url}: {}", refused.stderr());
        assert!(
            refused.stderr().contains(expect),
            "{url}: {}",
            refused.stderr()
        );
        assert!(!home.work().join("app").exists());
    }
    let refused = home.tool("new app --from-gradio http://127.0.0.1:1 --lang rust");
    assert!(
        refused.stderr().contains("cannot be used with"),
        "{}",
        refused.stderr()
    );
}
