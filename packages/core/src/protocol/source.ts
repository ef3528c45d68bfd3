/**
 * A source: a folder that brings things of its owner's, such as commands, context files,
 * hooks, policies and themes. Loaders take a list of sources and do not know which kind
 * they read; what a kind may bring, and where below the folder it lies, is in one table.
 */

/** Who a source belongs to; `builtin` is Castor itself, `system` the administrator. */
export type SourceKind = 'builtin' | 'system' | 'user' | 'project' | 'extension';

export interface Source {
  readonly kind: SourceKind;
  /** As users read and type it: `user`, `workspace`, or the name of an extension. */
  readonly name: string;
  /** The folder that holds what it brings. */
  readonly directory: string;
  /** False: nothing of it is loaded, and nothing of it runs. */
  readonly trusted: boolean;
  /** Names of its context files, where the source and not the user's settings decides on them. */
  readonly contextFileNames?: readonly string[];
}

/** What a source can bring in files of its own. */
export type SourceContent = 'commands' | 'context' | 'hooks' | 'policies' | 'themes';

/**
 * Where each kind keeps what it brings, relative to its directory; absent: the kind does
 * not bring it in a file of its own. Hooks and themes of the administrator, the user and
 * a project are settings. A project's context files lie in the workspace and above it.
 * Gemini CLI has switched policies of a project off, and so are they here.
 */
export const SOURCE_PLACES: Readonly<Record<SourceKind, Readonly<Partial<Record<SourceContent, string>>>>> = {
  builtin: {},
  system: { policies: 'policies' },
  user: { commands: 'commands', context: '.', policies: 'policies' },
  project: { commands: 'commands' },
  extension: {
    commands: 'commands',
    context: '.',
    hooks: 'hooks/hooks.json',
    policies: 'policies',
    themes: 'gemini-extension.json',
  },
};

/** Whether others than the user and the administrator decide what a source of this kind holds. */
export function isForeign(kind: SourceKind): boolean {
  return kind === 'project' || kind === 'extension';
}

export function isProjectTrusted(sources: readonly Source[]): boolean {
  return sources.some(({ kind, trusted }) => kind === 'project' && trusted);
}
