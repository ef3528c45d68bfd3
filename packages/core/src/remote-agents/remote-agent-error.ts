/** RemoteAgentError: why a remote agent cannot be reached, or refused a request, as a sentence for the user and the model. */

export class RemoteAgentError extends Error {
  override readonly name = 'RemoteAgentError';
}
