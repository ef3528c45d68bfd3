/** The text of `--help`, in 80 columns. Every documented flag of flags.ts has its sentence here. */

import { FLAGS } from './flags.ts';
import type { Flag, FlagName } from './flags.ts';

type Section = readonly [title: string, rows: readonly (readonly [FlagName, string])[]];

export const SECTIONS: readonly Section[] = [
  [
    'Prompt',
    [
      ['prompt', 'Answer this prompt and exit. Piped input comes before it.'],
      ['prompt-interactive', 'Send this prompt, then open the terminal UI.'],
      ['model', 'The model or alias: auto, pro, flash, offline, …, or provider/model.'],
      ['include-directories', 'Add workspace directories.'],
      ['extensions', 'The only extensions to load; none loads none.'],
      ['list-extensions', 'List the installed extensions.'],
    ],
  ],
  [
    'Permissions',
    [
      ['yolo', 'Run every tool without approval. Deny rules still apply.'],
      ['approval-mode', 'default, auto_edit, yolo or plan.'],
      ['allowed-tools', 'Tools that run without approval.'],
      ['allowed-mcp-server-names', 'The only MCP servers that start; their tools run without approval.'],
      ['policy', 'Policy files that replace your own.'],
      ['admin-policy', 'Policy files with the highest precedence.'],
      ['sandbox', 'Run commands in a sandbox; --no-sandbox without.'],
      ['airgap', "Reach nothing but the model's host; commands have no network."],
      ['skip-trust', 'Trust this folder for this run.'],
      ['acknowledge-agents', "Enable the project's sub-agents as they are now."],
      ['ignore-env', "Do not read the project's .env file."],
    ],
  ],
  [
    'Budgets',
    [
      ['max-turns', 'Stop after this number of model answers.'],
      ['max-tokens', 'Stop after this number of tokens in all requests.'],
      ['max-cost', 'Stop after this cost in US dollars, such as 0.50.'],
      ['max-time', 'Stop after this time, such as 90s, 5m or 1h.'],
    ],
  ],
  [
    'Sessions',
    [
      ['resume', 'Resume a session: latest (default), its number or its id.'],
      ['continue', 'Continue the interrupted prompt of the latest session, or of --resume.'],
      ['fork', 'With --resume or --continue: use a copy of the session.'],
      ['session-id', 'The id of the new session.'],
      ['session-file', 'Start with the conversation in this file.'],
      ['list-sessions', "List this folder's sessions."],
      ['delete-session', 'Delete a session by its number or id.'],
    ],
  ],
  [
    'Input and output',
    [
      ['output-format', 'text, json (one object at the end) or stream-json (one per line).'],
      ['output-schema', 'The answer must be JSON of the schema in this file; else exit code 59.'],
      ['input-format', 'text, or stream-json: one JSON object per line on stdin.'],
      ['raw-output', 'Keep terminal escape sequences in the answer.'],
      ['accept-raw-output-risk', 'The same, without the warning.'],
      ['acp', 'Speak the Agent Client Protocol on stdin and stdout, for editors.'],
      ['screen-reader', 'Plain output for screen readers.'],
      ['record', 'Record the run to this file, without secrets; castor replay runs it again.'],
      ['debug', 'Report requests, refusals and failed turns on stderr.'],
    ],
  ],
  [
    'Other',
    [
      ['version', 'Print the version.'],
      ['help', 'Print this text.'],
    ],
  ],
];

const SPELLING_WIDTH = 32;
const HELP_WIDTH = 44;

export function helpText(): string {
  const sections = SECTIONS.map(([title, rows]) => `${title}:\n${rows.map(toRow).join('\n')}`);
  const unsupported = Object.entries<Flag>(FLAGS).flatMap(([name, flag]) => (flag.unsupported ? [`--${name}`] : []));
  return `Usage: castor [flags] [prompt]
       castor <command> [--help]

A terminal coding agent. With -p it answers one prompt and exits:

  castor -p "What does this error mean?" < build.log
  castor --model offline "What is in this folder?"
  castor -y --max-cost 0.50 -p "Fix the failing test and say what was wrong."

Commands:
  audit       Show, verify and export the log of decisions and connections
  batch       Run many prompts, each in its own worktree, and keep the results
  branch      Try another way in a copy of this folder; compare, merge
  config      Show, explain, get and set settings
  doctor      Check the configuration and suggest fixes
  eval        Measure how often models pass your tasks; compare two results
  extensions  Install, update, configure and remove extensions
  hooks       List, test, trust and migrate hooks
  import      Import the configuration of Claude Code, codex or opencode
  leaks       Find secrets in sessions, logs, telemetry and the undo store
  login       Store the key of a provider; logout deletes it
  mcp         Add, list, sign in to and test MCP servers
  models      List the models that can be reached now
  policy      Explain which rule decides a command; test your rules
  replay      Run a recording again without a network; fail where it differs
  sandbox     Explain, try and check the sandbox of commands
  sessions    List, search, show and delete sessions
  skills      List, install, link, enable and disable skills
  undo        Take back what a session changed in this folder
  worker      Run tasks of batches that other machines submitted to a queue

${sections.join('\n\n')}

Flags of Gemini CLI that Castor does not support yet, and rejects:
  ${wrap(unsupported.join(' '), 76, '  ')}

Environment:
  GEMINI_API_KEY            Your key, from https://aistudio.google.com/apikey
  GOOGLE_GEMINI_BASE_URL    Another API endpoint, such as a gateway
  ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENROUTER_API_KEY, …
                            The keys of other providers
  CASTOR_MODEL              The model, unless --model names one; may be
                            provider/model, such as anthropic/claude-opus-5
  GEMINI_MODEL              The same, for Gemini CLI too
  CASTOR_OFFLINE=1          Use the built-in offline model; nothing is sent

Exit codes:
  0 answered · 1 failed · 41 invalid credentials · 42 invalid input
  44 no sandbox · 52 invalid setting · 53 turn limit · 54 disk full
  55 folder not trusted · 56 budget spent · 57 loop detected
  58 request too large · 59 answer does not match the schema
  130 interrupted · 143 terminated
`;
}

function toRow([name, help]: readonly [FlagName, string]): string {
  const { alias, value, kind }: { alias?: string; value?: string; kind: string } = FLAGS[name];
  const label = value === undefined ? '' : kind === 'optional' ? ` [${value}]` : ` <${value}>`;
  const spelling = `${alias === undefined ? '    ' : `-${alias}, `}--${name}${label}`;
  const indent = ' '.repeat(SPELLING_WIDTH + 2);
  const text = wrap(help, HELP_WIDTH, indent);
  return spelling.length < SPELLING_WIDTH
    ? `  ${spelling.padEnd(SPELLING_WIDTH)}${text}`
    : `  ${spelling}\n${indent}${text}`;
}

function wrap(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}
