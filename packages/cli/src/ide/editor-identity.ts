/** Which editor contains this terminal, by the variables editors set, and its command. Pure. */

export interface EditorIdentity {
  readonly name: string;
  /** The command that installs an extension. */
  readonly command: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const CODE = 'code';

/** In the order of Gemini CLI: the more specific first. */
const EDITORS: readonly [test: (environment: Environment) => boolean, name: string, command?: string][] = [
  [({ ANTIGRAVITY_CLI_ALIAS: is }) => Boolean(is), 'Antigravity', 'agy'],
  [({ __COG_BASHRC_SOURCED: is }) => Boolean(is), 'Devin'],
  [({ REPLIT_USER: is }) => Boolean(is), 'Replit'],
  [({ CURSOR_TRACE_ID: is }) => Boolean(is), 'Cursor', 'cursor'],
  [({ CODESPACES: is }) => Boolean(is), 'GitHub Codespaces', CODE],
  [({ EDITOR_IN_CLOUD_SHELL: is, CLOUD_SHELL: other }) => Boolean(is ?? other), 'Cloud Shell', CODE],
  [({ TERM_PRODUCT: is }) => is === 'Trae', 'Trae', 'trae'],
  [({ MONOSPACE_ENV: is }) => Boolean(is), 'Firebase Studio', CODE],
  [({ POSITRON: is }) => is === '1', 'Positron', 'positron'],
  [({ TERM_PROGRAM: is }) => is === 'sublime', 'Sublime Text'],
  [({ TERM_PROGRAM: is, ZED_SESSION_ID: zed }) => is?.toLowerCase() === 'zed' || Boolean(zed), 'Zed'],
  [({ XCODE_VERSION_ACTUAL: is }) => Boolean(is), 'Xcode'],
  [({ TERMINAL_EMULATOR: is }) => is?.toLowerCase().includes('jetbrains') === true, 'JetBrains IDE'],
  [({ TERM_PROGRAM: is }) => is === 'vscode', 'VS Code', CODE],
];

/** Undefined outside a terminal of an editor. */
export function identifyEditor(environment: Environment): EditorIdentity | undefined {
  const found = EDITORS.find(([test]) => test(environment));
  return found && { name: found[1], command: found[2] };
}
