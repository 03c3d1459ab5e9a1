// Forwards every request to a server, with a token in its header Authorization.
// The conformance suite has no way to send one. Nothing else is changed, not even the Host.
//
// usage: node forward.mjs TOKEN FILE
// It prints the URL at which it listens; FILE will hold that of the server.
import fs from "node:fs";
import http from "node:http";

const [token, file] = process.argv.slice(2);

const server = http.createServer((request, response) => {
  const { method, url: path } = request;
  const { hostname, port } = new URL(fs.readFileSync(file, "utf8").trim());
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const forwarded = http.request({ hostname, port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  forwarded.on("error", () => response.destroy());
  // Who leaves here leaves there.
  response.on("close", () => forwarded.destroy());
  request.pipe(forwarded);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
