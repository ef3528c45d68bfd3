/** Why a sandbox that was asked for does not start, as a sentence for the user. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
}
