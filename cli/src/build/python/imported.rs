//! Finds the packages that the modules of a project import, and the files that those modules are.

use std::collections::BTreeSet;
use std::path::Path;

use super::dependencies::{block_requirements, requirements};
use super::modules::{file_of, reached};
use super::stand_ins::{is_replaced, package_name};

/// The modules of the standard library of CPython.
const STANDARD_LIBRARY: &str = "__future__ _thread abc aifc annotationlib antigravity argparse array ast asynchat asyncio \
    asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi \
    cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression \
    concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses \
    dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip \
    enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc \
    genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http \
    idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 \
    linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder \
    msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode \
    operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform \
    plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc \
    pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy \
    sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket \
    socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string \
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile \
    telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize \
    tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata \
    unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref \
    xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// Packages whose modules are not called as they are.
const NAMED_OTHERWISE: [(&str, &str); 23] = [
    ("Crypto", "pycryptodome"),
    ("PIL", "pillow"),
    ("agents", "openai-agents"),
    ("attr", "attrs"),
    ("bs4", "beautifulsoup4"),
    ("cv2", "opencv-python"),
    ("dateutil", "python-dateutil"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("fitz", "pymupdf"),
    ("git", "GitPython"),
    ("github", "PyGithub"),
    ("jose", "python-jose"),
    ("jwt", "PyJWT"),
    ("magic", "python-magic"),
    ("pptx", "python-pptx"),
    ("serpapi", "google-search-results"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("tavily", "tavily-python"),
    ("wikipediaapi", "Wikipedia-API"),
    ("yaml", "PyYAML"),
    ("zmq", "pyzmq"),
];

/// What a file needs to be loaded elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// The modules beside it that it imports, and those that they import, as paths.
    pub(crate) modules: Vec<String>,
    /// The packages of a registry that they import, as requirements; not those that the file names
    /// in its own block of metadata.
    pub(crate) requirements: Vec<String>,
}

/// What the module `file` in `directory` imports, without the packages of frameworks. Versions are
/// those that `requirements.txt` and `pyproject.toml` in the directory ask for.
pub(crate) fn imported(directory: &Path, file: &str) -> Imported {
    let reached = reached(&[directory], &[file]);
    // What these files say badly is told when the project is built.
    let known = requirements(directory, None).unwrap_or_default();
    let in_block = block_requirements(directory, file).unwrap_or_default();
    let in_block: BTreeSet<String> = in_block.iter().map(|it| package_name(it)).collect();
    let mut packages: BTreeSet<String> = BTreeSet::new();
    for import in reached.values().flatten() {
        let module = import.module.split('.').next().unwrap_or_default();
        let is_standard = STANDARD_LIBRARY.split(' ').any(|name| name == module);
        let is_own = file_of(&[directory], module).is_some() || directory.join(module).is_dir();
        if !module.is_empty() && !is_standard && !is_own {
            packages.insert(package_of(module));
        }
    }
    packages.retain(|package| !is_replaced(package) && !in_block.contains(&package_name(package)));
    let versions = packages.iter().map(|package| {
        let name = package_name(package);
        let mut known = known.iter();
        let known = known.find(|requirement| package_name(requirement) == name);
        known.unwrap_or(package).clone()
    });
    Imported {
        requirements: versions.collect(),
        modules: reached.into_keys().filter(|it| it != file).collect(),
    }
}

/// Packages that come with the frameworks which modules of a build stand in for, and that servers
/// import without asking for them.
const COMPANIONS: [&str; 19] = [
    "anyio",
    "click",
    "deprecated",
    "exceptiongroup",
    "httpx",
    "httpx-sse",
    "jinja2",
    "jsonpatch",
    "packaging",
    "python-dotenv",
    "pyyaml",
    "requests",
    "rich",
    "starlette",
    "tenacity",
    "tqdm",
    "typer",
    "typing-extensions",
    "uvicorn",
];

/// The packages that `modules` in `directory` import without one of `needs` being it, because they
/// come with a framework.
pub(crate) fn companions(directory: &Path, modules: &[String], needs: &[String]) -> Vec<String> {
    let entries: Vec<&str> = modules.iter().map(String::as_str).collect();
    let needs: BTreeSet<String> = needs.iter().map(|it| package_name(it)).collect();
    let reached = reached(&[directory], &entries);
    let imported = reached.values().flatten().map(|import| {
        let module = import.module.split('.').next().unwrap_or_default();
        package_name(&package_of(module))
    });
    let found: BTreeSet<String> = imported
        .filter(|name| COMPANIONS.contains(&name.as_str()) && !needs.contains(name))
        .collect();
    found.into_iter().collect()
}

/// The package that has a module.
fn package_of(module: &str) -> String {
    let known = NAMED_OTHERWISE.iter().find(|(name, _)| *name == module);
    known.map_or_else(
        || module.replace('_', "-"),
        |(_, package)| (*package).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;

    #[test]
    fn a_file_needs_what_it_imports_and_no_framework() {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "server.py",
                "# /// script\n# dependencies = [\"rich\", \"fastmcp\"]\n# ///\nimport json, rich\n\
                 import yaml\nfrom fastmcp import FastMCP\nfrom pydantic import Field\nimport helpers.deep\n\
                 import langchain_openai\n",
            ),
            ("helpers/__init__.py", ""),
            ("helpers/deep.py", "import requests\n"),
            ("unused.py", "import numpy\n"),
            (
                "requirements.txt",
                "requests>=2.32\nnumpy\nfastmcp==4.2.3\n",
            ),
        ] {
            files::write(&directory.path().join(path), text.as_bytes()).unwrap();
        }
        assert_eq!(
            imported(directory.path(), "server.py"),
            Imported {
                modules: vec![
                    "helpers/__init__.py".to_owned(),
                    "helpers/deep.py".to_owned()
                ],
                requirements: vec!["PyYAML".to_owned(), "requests>=2.32".to_owned()],
            }
        );
    }
}
