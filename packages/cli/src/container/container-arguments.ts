/**
 * Writes the command lines of docker, podman and lxc that run this program inside a container. Pure: facts in, words out.
 * Secrets are passed by the names of their variables, so that no list of processes shows them.
 */

import { ENVIRONMENT_VARIABLES } from '@castor/core/program';
import type { ContainerFacts } from './container-facts.ts';

/** Beside the variables that Castor reads. */
const TERMINAL_VARIABLES = 'TERM COLORTERM TERM_PROGRAM FORCE_COLOR LANG LC_ALL LC_CTYPE TZ'.split(' ');
const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'ALL_PROXY', 'all_proxy'];
/** They describe this computer, or the sandbox itself. */
const LEFT_OUT = /^(?:GEMINI_SANDBOX|SANDBOX|BUILD_SANDBOX|SEATBELT_PROFILE|EDITOR$|VISUAL$|GEMINI_CLI$)/;

export const INNER_NETWORK = 'gemini-cli-sandbox';
const PROXY_NETWORK = 'gemini-cli-sandbox-proxy';
export const PROXY_NAME = 'gemini-cli-sandbox-proxy';
export const PROXY_PORT = 8877;

/** Mounted where no image has anything. */
const NODE_INSIDE = '/castor-node';
/** Chooses the Node of the image if it is new enough, else the one of this computer. */
const CHOOSE_NODE = `if node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 18) ? 0 : 1)' 2>/dev/null || [ ! -x ${NODE_INSIDE} ]; then set -- node "$@"; else set -- ${NODE_INSIDE} "$@"; fi; exec "$@"`;
const PREPARE = '. ./.gemini/sandbox.bashrc; ';

/** The names of the variables that enter: those of Castor that are set. */
export function variableNames({ environment, proxyCommand }: ContainerFacts): string[] {
  const own = ENVIRONMENT_VARIABLES.flatMap(({ names }) => names).filter((name) => !LEFT_OUT.test(name));
  const all = [...new Set([...own, ...TERMINAL_VARIABLES, ...PROXY_VARIABLES])];
  const isProxy = (name: string) => proxyCommand !== undefined && /^(?:https?|all|no)_proxy$/i.test(name);
  return all.filter((name) => environment[name] !== undefined && !isProxy(name));
}

/** The words after `docker` or `podman`. */
export function runArguments(facts: ContainerFacts): string[] {
  const { request, name, cwd, user, volumes, flags, ports, environment } = facts;
  const isPodman = request.kind === 'podman';
  const isOrdinary = user !== undefined && user.id !== 0;
  return [
    ...['run', '-i', '--rm', '--init', '--name', name, '--hostname', name, '--workdir', cwd],
    ...(facts.hasTerminal ? ['-t'] : []),
    ...(request.kind === 'runsc' ? ['--runtime=runsc'] : []),
    // Podman names the host by itself.
    ...(isPodman ? [] : ['--add-host', 'host.docker.internal:host-gateway']),
    ...(isOrdinary ? ['--user', `${user.id}:${user.group}`] : []),
    ...(isOrdinary && isPodman ? ['--userns=keep-id'] : []),
    // An ordinary user has no home in the image; this one ends with the container.
    ...(isOrdinary ? ['--tmpfs', `${facts.home}:exec,mode=1777`] : []),
    ...volumesOf(facts, volumes),
    ...networkOf(facts),
    ...ports.flatMap((port) => ['--publish', `${port}:${port}`]),
    ...['--env', `SANDBOX=${name}`, '--env', `HOME=${facts.home}`],
    ...variableNames(facts).flatMap((each) => ['--env', each]),
    ...facts.variables.flatMap((each) => ['--env', each]),
    ...(environment['DEBUG'] ? ['--publish', '9229:9229'] : []),
    ...flags,
    ...['--entrypoint', '', request.image],
    ...innerWords(facts),
  ];
}

/** The shell that starts this program inside, with the same arguments. */
function innerWords({ hasScript, installation, words }: ContainerFacts): string[] {
  const script = `${hasScript ? PREPARE : ''}${CHOOSE_NODE}`;
  return [hasScript ? 'bash' : 'sh', '-c', script, 'castor', `${installation}/bin/castor.cjs`, ...words];
}

function volumesOf({ installation, node }: ContainerFacts, volumes: ContainerFacts['volumes']): string[] {
  const own = [
    { from: installation, to: installation, options: 'ro' },
    ...(node === undefined ? [] : [{ from: node, to: NODE_INSIDE, options: 'ro' }]),
  ];
  const byPlace = new Map([...volumes, ...own].map((volume) => [volume.to, volume]));
  return [...byPlace.values()].flatMap(({ from, to, options }) => ['--volume', `${from}:${to}:${options}`]);
}

function networkOf({ request, proxyCommand }: ContainerFacts): string[] {
  if (request.hasNetwork && proxyCommand === undefined) return [];
  const address = `http://${PROXY_NAME}:${PROXY_PORT}`;
  const names = proxyCommand === undefined ? [] : ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];
  return ['--network', INNER_NETWORK, ...names.flatMap((name) => ['--env', `${name}=${address}`])];
}

/** What runs before the program: the networks and the proxy, where one was asked for. */
export function proxySteps(facts: ContainerFacts): { networks: string[][]; proxy: string[] | undefined } {
  const { request, proxyCommand, cwd } = facts;
  if (request.hasNetwork && proxyCommand === undefined) return { networks: [], proxy: undefined };
  const inner = ['network', 'create', '--internal', INNER_NETWORK];
  if (proxyCommand === undefined) return { networks: [inner], proxy: undefined };
  return {
    networks: [inner, ['network', 'create', PROXY_NETWORK]],
    proxy: [
      ...['run', '--rm', '--init', '--name', PROXY_NAME, '--network', PROXY_NETWORK],
      ...['--publish', `${PROXY_PORT}:${PROXY_PORT}`, '--volume', `${cwd}:${cwd}:ro`, '--workdir', cwd],
      ...['--entrypoint', '', request.image, 'sh', '-c', proxyCommand],
    ],
  };
}

/** The words after `lxc` that show this folder and this program in a container which already runs. */
export function lxcSteps(facts: ContainerFacts): { add: string[]; remove: string[]; what: string }[] {
  const volumes = [
    ...facts.volumes,
    { from: facts.installation, to: facts.installation, options: 'ro' },
    ...(facts.node === undefined ? [] : [{ from: facts.node, to: NODE_INSIDE, options: 'ro' }]),
  ];
  return volumes.map(({ from, to, options }, index) => {
    const device = `${facts.name}-${index}`;
    const place = ['disk', `source=${from}`, `path=${to}`, ...(options.includes('ro') ? ['readonly=true'] : [])];
    const container = lxcContainer(facts);
    return {
      what: from,
      add: ['config', 'device', 'add', container, device, ...place],
      remove: ['config', 'device', 'remove', container, device],
    };
  });
}

/** The name of a container that already runs, for lxc; it stands where others have an image. */
export function lxcContainer({ environment, request }: Pick<ContainerFacts, 'environment' | 'request'>): string {
  return environment['GEMINI_SANDBOX_IMAGE'] ?? (/[/:]/.test(request.image) ? 'gemini-sandbox' : request.image);
}

/** lxc passes no variable by its name alone; a file descriptor holds them, so that no list of processes shows them. */
export function lxcArguments(facts: ContainerFacts): { words: string[]; variables: string } {
  const { environment, name, home, cwd } = facts;
  const set = [
    ...variableNames(facts).map((each) => [each, environment[each] ?? ''] as const),
    ...facts.variables.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)] as const),
    ...([['SANDBOX', name]] as const),
    ...([['HOME', home]] as const),
  ];
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const variables = set.map(([key, value]) => `export ${key}=${quote(value)}\n`).join('');
  const [shell = 'sh', option = '-c', script = '', ...rest] = innerWords(facts);
  const user = facts.user ? ['--user', String(facts.user.id), '--group', String(facts.user.group)] : [];
  const terminal = facts.hasTerminal ? ['-t'] : ['-T'];
  const load = `. "$1"; shift; ${script}`;
  const [called = 'castor', ...words] = rest;
  return {
    words: [
      ...['exec', lxcContainer(facts), '--cwd', cwd, ...user, ...terminal, '--', shell, option, load, called],
      ...['{variables}', ...words],
    ],
    variables,
  };
}
