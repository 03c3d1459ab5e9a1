//! Serves one component file over the Model Context Protocol on standard input and output.
//!
//! `cargo run -p tool-hub-serve --example serve_file -- tool.wasm`

mod sandbox;

use tool_hub_serve::{Catalogue, Offer, serve_stdio};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a component file")?;
    let tool = sandbox::load(wat::parse_file(path)?, "file").await?;
    let offers = Offer::all(&"file".parse()?, &tool)?;
    serve_stdio(Catalogue::new(offers)?.into(), std::future::pending()).await?;
    Ok(())
}
