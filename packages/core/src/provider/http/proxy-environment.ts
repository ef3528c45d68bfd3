/**
 * Reads the usual proxy variables from a record the caller passes in. Lower case wins over upper case, as in other
 * programs.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** For `HttpClientOptions.proxyFor`. Undefined when no variable names a proxy. */
export function proxyFromEnvironment(environment: Environment): ((url: URL) => string | undefined) | undefined {
  const variable = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const httpProxy = variable('HTTP_PROXY');
  const httpsProxy = variable('HTTPS_PROXY') ?? httpProxy;
  if (httpProxy === undefined && httpsProxy === undefined) return undefined;
  const exceptions = (variable('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  return (url) => {
    if (exceptions.some((entry) => isException(entry, url))) return undefined;
    return url.protocol === 'https:' ? httpsProxy : (httpProxy ?? httpsProxy);
  };
}

/** `*`, `host`, `.suffix`, `*.suffix`, each with an optional `:port`. A plain host covers its sub-domains too. */
function isException(entry: string, url: URL): boolean {
  if (entry === '*') return true;
  const address = !entry.startsWith('[') && entry.split(':').length > 2 ? `[${entry}]` : entry;
  const [, name = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  if (port !== undefined && port !== (url.port || DEFAULT_PORTS[url.protocol])) return false;
  const suffix = name.replace(/^\*?\./, '').toLowerCase();
  return suffix !== '' && (url.hostname === suffix || url.hostname.endsWith(`.${suffix}`));
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
