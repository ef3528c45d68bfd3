/** RequestAuthorization: what a network transport asks before a request to a server with a sign-in. Types only. */

export interface RequestAuthorization {
  /** The headers of the next request. Rejects with a sentence for the user. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** After a 401: whether the next headers differ. Rejects like `headers`. */
  renew(signal?: AbortSignal): Promise<boolean>;
  /** Why the server has no valid credential, as a sentence. */
  readonly problem: string | undefined;
}
