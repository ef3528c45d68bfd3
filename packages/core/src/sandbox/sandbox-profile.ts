/** The profiles of a sandbox, and which one applies to a program that starts now. Pure. */

/** `workspace-write+net` also reaches the allow-listed hosts. */
export type SandboxProfile = 'read-only' | 'workspace-write' | 'workspace-write+net' | 'off';

export const SANDBOX_PROFILES: readonly SandboxProfile[] = [
  'read-only',
  'workspace-write',
  'workspace-write+net',
  'off',
];

export interface ProfileFacts {
  /** The approval mode: plan is a ceiling. */
  mode: string;
  /** False for a folder that the user does not trust. */
  isTrusted: boolean;
  /** `tools.sandboxNetworkAccess`, or a host that was granted. */
  hasNetwork: boolean;
  /** Gemini CLI's sandbox.toml says so for this mode. */
  isReadOnly?: boolean | undefined;
}

/** The profile of a session whose sandbox is on. YOLO mode keeps it: it answers questions, it does not widen bounds. */
export function chooseProfile({ mode, isTrusted, hasNetwork, isReadOnly }: ProfileFacts): SandboxProfile {
  if (mode === 'plan' || !isTrusted || isReadOnly) return 'read-only';
  return hasNetwork ? 'workspace-write+net' : 'workspace-write';
}

const BORROWED =
  ' In git they commit on no branch (detached HEAD): branches, tags and the stash of the repository are read-only.';

/** What the model gets to know about the bounds. */
export function describeBounds(
  profile: SandboxProfile,
  writable: readonly string[],
  hosts: readonly string[],
  {
    isAirgapped,
    borrowsRepository,
  }: { isAirgapped?: boolean | undefined; borrowsRepository?: boolean | undefined } = {},
): string {
  if (profile === 'off') return '';
  const files =
    profile === 'read-only'
      ? 'can write nothing but /tmp'
      : `can write ${writable.join(', ')}, /tmp and the caches of package managers only`;
  const network =
    profile === 'workspace-write+net' && hosts.length > 0
      ? `reach ${hosts.join(', ')} and ask the user about other hosts`
      : profile === 'read-only' || isAirgapped
        ? 'reach no network'
        : 'reach localhost, and ask the user about other hosts';
  return `Shell commands run in a sandbox: they ${files}, ${network}, and see no credentials; a result says what was denied.${borrowsRepository && profile !== 'read-only' ? BORROWED : ''}`;
}
