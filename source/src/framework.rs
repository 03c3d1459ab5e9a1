//! Names the frameworks whose tools are read, and says how such a tool is called.

use std::fmt;

/// Whose tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Framework {
    /// FastMCP, of the packages `fastmcp` and `mcp`.
    FastMcp,
    /// LangChain.
    LangChain,
    /// LlamaIndex.
    LlamaIndex,
    /// The OpenAI Agents SDK.
    OpenAiAgents,
    /// smolagents and Transformers Agents.
    Smolagents,
    /// The SDK of MCP for TypeScript.
    McpTypeScript,
    /// The AI SDK of Vercel.
    VercelAi,
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FastMcp => "FastMCP",
            Self::LangChain => "LangChain",
            Self::LlamaIndex => "LlamaIndex",
            Self::OpenAiAgents => "OpenAI Agents",
            Self::Smolagents => "smolagents",
            Self::McpTypeScript => "MCP SDK",
            Self::VercelAi => "AI SDK",
        })
    }
}

/// What is called where a framework's tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameworkTool {
    /// Whose tool it is.
    pub framework: Framework,
    /// The function, object or class at the top of the file.
    pub object: String,
    /// The method that is called of a class.
    pub method: Option<String>,
    /// The parameters of the class that whoever runs the tool has to say.
    pub settings: Vec<Setting>,
}

/// A parameter with which a tool's class is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub parameter: String,
    /// The class.
    pub class: String,
    /// True if the class cannot be made without.
    pub is_required: bool,
}

impl Setting {
    /// The name of the variable that holds it.
    pub fn variable(&self) -> String {
        self.parameter.to_ascii_uppercase()
    }

    /// True if its name says that it is to be kept secret.
    pub fn is_secret(&self) -> bool {
        const WORDS: [&str; 7] = [
            "key",
            "token",
            "secret",
            "password",
            "pwd",
            "id",
            "credential",
        ];
        let name = self.parameter.to_ascii_lowercase();
        name.split('_').any(|word| WORDS.contains(&word))
    }
}
