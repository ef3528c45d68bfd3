/** The help of `castor mcp` and of each of its commands. */

export const MCP_USAGE = `Usage: castor mcp <command>

Commands:
  add <name> <commandOrUrl> [args...]   adds a server to the settings
  remove <name>                         removes a server from the settings
  list                                  lists the servers and whether they connect
  enable <name>, disable <name>         enables or disables a server for you
  login <name>, logout <name>           signs in to a server, and out again
  trust [name...]                       agrees to this project's servers as they are
  test <name>                           tries a server: what it offers, how fast
  serve                                 is an MCP server itself

castor mcp <command> --help describes a command; docs/mcp.md describes all of it.
`;

export const MCP_HELP: Readonly<Record<string, string>> = {
  add: `Usage: castor mcp add [options] <name> <commandOrUrl> [args...]

Adds a server to settings.json, or replaces it. Comments and the rest of the
file stay. Unknown options, and everything after --, become arguments of the
server. A url means http unless -t says otherwise.

  castor mcp add files npx -y some-server .
  castor mcp add docs https://docs.example/mcp -H "X-Key: \\$DOCS_KEY"

Options:
  -s, --scope <scope>        project: .gemini/settings.json of this folder;
                             user: your own               [default: project]
  -t, --transport <kind>     stdio, sse or http           [default: stdio]
  -e, --env KEY=value        a variable of the process; may be repeated
  -H, --header "Name: value" a header of every request; may be repeated
      --timeout <ms>         the limit of a call
      --trust                its tools run without approval
      --description <text>   for you
      --include-tools <a,b>  the only tools to offer
      --exclude-tools <a,b>  tools not to offer
`,
  remove: `Usage: castor mcp remove <name> [-s user|project]

Removes a server from settings.json.

Options:
  -s, --scope <scope>   project or user   [default: project]
`,
  list: `Usage: castor mcp list [--json] [--timeout <seconds>]

Lists the configured servers. Castor connects to all of them side by side, at
most for the limit, and starts only what a session in this folder would start.

Options:
  --json                as JSON
  --timeout <seconds>   the limit   [default: 5]
`,
  enable: `Usage: castor mcp enable <name>

Enables a server that castor mcp disable disabled.
`,
  disable: `Usage: castor mcp disable <name>

Disables a server for you, in every folder, in
~/.gemini/mcp-server-enablement.json. The settings stay as they are.
`,
  login: `Usage: castor mcp login <name> [--no-browser] [--plain-file]

Signs in to a server with OAuth. Castor opens your browser, or prints the
address; where the browser runs on another machine, paste the address it ends
at. The tokens go to the keyring of the system or, where there is none, to
~/.gemini/mcp-oauth-tokens.json (mode 0600), which Gemini CLI shares.

Options:
  --no-browser   prints the address only
  --plain-file   uses the file, also where there is a keyring

Exit codes: 0 signed in, 41 not signed in, 130 cancelled.
`,
  logout: `Usage: castor mcp logout <name>

Deletes the tokens of a server, and revokes them where the server can.
`,
  trust: `Usage: castor mcp trust [name...]

Agrees to the servers in .gemini/settings.json of this folder as they are now,
or to some of them, and shows what each runs. A server of a project does not
start before, and not after its entry has changed. The folder must be trusted.

Exit codes: 0 recorded, 1 no such server, 55 the folder is not trusted.
`,
  test: `Usage: castor mcp test <name> [--tool <tool> --args <json>] [-o json]

Tries a server as a session would use it: connects, lists tools, prompts and
resources, calls a tool, and prints the time of every request, what the server
got wrong and the end of its stderr.

  castor mcp test files
  castor mcp test files --tool read --args '{"path":"a.txt"}'

Options:
  --tool <tool>          calls this tool, by the server's own name
  --args <json>          its arguments; - reads them from stdin   [default: {}]
  -o, --output-format    text or json                             [default: text]
  --timeout <seconds>    the limit of the start and of the call
  --strict               warnings fail the test, too

Exit codes: 0 no problem, 1 the server failed or offers unusable tools,
41 it needs a sign-in, 42 unknown tool or invalid arguments, 55 not trusted.
`,
};
