/** Checks for `castor doctor` what runs after an edit: language servers and formatters, found or missing. Starts none. */

import { findProgram, KNOWN_SERVERS } from '@castor/core/program';
import type { Check } from './doctor-check.ts';

interface EditPrograms {
  readonly mode: 'auto' | 'on' | 'off';
  readonly servers: Readonly<Record<string, { readonly command: string }>>;
  readonly formatters: Readonly<Record<string, { readonly command: string }>>;
}

const ON = 'castor config set castor.diagnostics.mode on';

/** Without settings that can be read, the known servers alone. */
export function checkEditPrograms(path: string, settings?: EditPrograms): Check[] {
  const { mode = 'auto', servers = {}, formatters = {} } = settings ?? {};
  const isFound = ({ command }: { command: string }) => findProgram(command, path) !== undefined;
  const known = KNOWN_SERVERS.filter((row) => !Object.hasOwn(servers, row.name) && isFound(row));
  const waiting = mode === 'auto' ? known.filter(({ isSlow }) => isSlow) : [];
  const used = [
    ...Object.entries(servers).flatMap(([name, program]) => (isFound(program) ? [name] : [])),
    ...known.filter((row) => !waiting.includes(row)).map(({ name }) => name),
  ];
  const waits = waiting.map(({ name }) => name).join(', ');
  return [
    mode === 'off' ? turnedOff() : describeServers(used, waits),
    ...missing('language server', servers, isFound),
    ...(Object.keys(formatters).length === 0 ? [] : [describeFormatters(formatters, isFound)]),
    ...missing('formatter', formatters, isFound),
  ];
}

function turnedOff(): Check {
  return { topic: 'language servers', status: 'ok', says: 'castor.diagnostics.mode is off; edits are not checked' };
}

function describeServers(used: readonly string[], waits: string): Check {
  const topic = 'language servers';
  if (used.length === 0 && waits === '') {
    const names = KNOWN_SERVERS.map(({ name }) => name).join(', ');
    return { topic, status: 'missing', says: `none found; edits are not checked. Known: ${names}` };
  }
  const says = [
    ...(used.length > 0 ? [`in trusted folders, edits are checked with ${used.join(', ')}`] : []),
    ...(waits === '' ? [] : [`found, but slow to start: ${waits}; to use it: ${ON}`]),
  ];
  return { topic, status: 'ok', says: says.join('\n') };
}

function describeFormatters(programs: EditPrograms['formatters'], isFound: Found): Check {
  const names = Object.entries(programs).flatMap(([name, program]) => (isFound(program) ? [name] : []));
  const says = names.length === 0 ? 'none of those in castor.diagnostics.formatters is installed' : names.join(', ');
  return { topic: 'formatters', status: names.length === 0 ? 'missing' : 'ok', says };
}

type Found = (program: { readonly command: string }) => boolean;

function missing(kind: string, programs: EditPrograms['servers'], isFound: Found): Check[] {
  return Object.entries(programs)
    .filter(([, program]) => !isFound(program))
    .map(([name, { command }]) => ({
      topic: kind,
      status: 'problem',
      says: `${name}: "${command}" is not on the PATH; install it, or remove castor.diagnostics.${kind === 'formatter' ? 'formatters' : 'servers'}.${name}`,
    }));
}
