/** The templates of `castor extensions new`. Data only. */

export interface Template {
  /** Added to name and version. */
  manifest?: Readonly<Record<string, unknown>>;
  files?: Readonly<Record<string, string>>;
}

const IGNORED = 'node_modules/\ndist/\n.env\n';

const SERVER = `#!/usr/bin/env node
/** An MCP server over stdio without dependencies: one tool, and one prompt with two arguments. */

import { createInterface } from 'node:readline';

const TOOL = {
  name: 'fetch_posts',
  description: 'Fetches a list of posts from a public API.',
  inputSchema: { type: 'object', properties: {} },
};
const PROMPT = {
  name: 'poem-writer',
  description: 'Writes a nice haiku.',
  arguments: [{ name: 'title', required: true }, { name: 'mood', required: false }],
};

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, prompts: {} },
    serverInfo: { name: 'example', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': async () => {
    const response = await fetch('https://jsonplaceholder.typicode.com/posts');
    const posts = (await response.json()).slice(0, 5);
    return { content: [{ type: 'text', text: JSON.stringify({ posts }) }] };
  },
  'prompts/list': () => ({ prompts: [PROMPT] }),
  'prompts/get': ({ arguments: { title, mood } }) => {
    const text = \`Write a haiku\${mood ? \` with the mood \${mood}\` : ''} called \${title}.\`;
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const run = METHODS[method];
  const answer = run
    ? { result: await run(params) }
    : { error: { code: -32601, message: \`Unknown method \${method}\` } };
  process.stdout.write(\`\${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\\n\`);
}
`;

const POLICIES = `# An extension may only restrict: rules that allow are ignored.

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push"
decision = "ask_user"
priority = 10

[[rule]]
toolName = "run_shell_command"
commandPrefix = "rm -rf /"
decision = "deny"
priority = 100
denyMessage = "This extension forbids deleting everything."

[[safety_checker]]
toolName = "write_file"
priority = 50
[safety_checker.checker]
type = "in-process"
name = "allowed-path"
`;

const THEME = {
  name: 'shades-of-green',
  type: 'custom',
  background: { primary: '#1a362a' },
  text: { primary: '#a6e3a1', secondary: '#6e8e7a', link: '#89e689', accent: '#76c893' },
  status: { success: '#76c893', warning: '#d9e76c', error: '#b34e4e' },
  border: { default: '#4a6c5a' },
  ui: { comment: '#6e8e7a' },
};

export const TEMPLATES: Readonly<Record<string, Template>> = {
  'custom-commands': {
    files: {
      'commands/fs/grep-code.toml':
        'description = "Searches the code and explains what was found."\nprompt = """\nPlease summarize the findings for the pattern `{{args}}`.\n\nSearch results:\n!{grep -r {{args}} .}\n"""\n',
      '.gitignore': IGNORED,
    },
  },
  'exclude-tools': { manifest: { excludeTools: ['run_shell_command(rm -rf)'] } },
  hooks: {
    files: {
      'hooks/hooks.json': `${JSON.stringify(
        {
          hooks: {
            SessionStart: [{ hooks: [{ type: 'command', command: 'node ${extensionPath}/scripts/on-start.js' }] }],
          },
        },
        null,
        2,
      )}\n`,
      'scripts/on-start.js':
        "process.stdout.write(JSON.stringify({ systemMessage: 'Session started: this is a message of an extension.' }));\n",
      '.gitignore': IGNORED,
    },
  },
  'mcp-server': {
    manifest: { mcpServers: { nodeServer: { command: 'node', args: ['${extensionPath}${/}example.js'] } } },
    files: {
      'example.js': SERVER,
      'package.json': `${JSON.stringify({ name: 'mcp-server-example', version: '1.0.0', type: 'module', private: true }, null, 2)}\n`,
      'README.md':
        '# An MCP server\n\n`example.js` is the server. Link the extension, then ask for the latest posts.\n',
      '.gitignore': IGNORED,
    },
  },
  policies: {
    files: {
      'policies/policies.toml': POLICIES,
      'README.md': '# Policies\n\nRules of an extension can ask or deny. They cannot allow.\n',
      '.gitignore': IGNORED,
    },
  },
  skills: {
    files: {
      'skills/greeter/SKILL.md':
        '---\nname: greeter\ndescription: A friendly greeter skill\n---\n\nGreet the user warmly and offer your help.\n',
      '.gitignore': IGNORED,
    },
  },
  'themes-example': {
    manifest: { themes: [THEME] },
    files: { 'README.md': '# A theme\n\nLink the extension, then choose the theme with /theme.\n' },
  },
};
