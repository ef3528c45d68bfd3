/** The services of `/extensions`: what `castor extensions` does, with the questions of the surface. Loaded on demand. */

import { ExtensionError } from '@castor/core/program';
import { ExtensionDesk } from '../commands/extension-desk.ts';
import type { DeskPort, EnablementScope, Outcome } from '../commands/extension-desk.ts';
import { askMissingValues, configureExtension } from '../commands/extensions-config.ts';
import type { SettingPrompt } from '../commands/extensions-config.ts';
import { listBriefly } from '../commands/extensions-list.ts';
import type { Start } from '../start/start.ts';
import { failure, info } from './command.ts';
import type { CommandResult, ExtensionService } from './command.ts';

export interface ExtensionQuestions extends Partial<SettingPrompt> {
  /** Absent where the user cannot be asked. */
  confirm?: DeskPort['confirm'];
}

type Place = Pick<Start, 'home' | 'cwd' | 'environment' | 'settings' | 'trustedFolder' | 'extensions' | 'args'>;

export function openExtensionService(
  start: Place,
  { confirm, ask, tell = () => undefined }: ExtensionQuestions,
  signal: AbortSignal,
): ExtensionService {
  const { home, cwd, environment, settings, trustedFolder } = start;
  const prompt = ask && { ask, tell };
  const port: DeskPort = {
    confirm:
      confirm ??
      (() =>
        Promise.reject(new ExtensionError('A headless run cannot ask for consent. Use: castor extensions consent'))),
    async configure(extension, desk) {
      const left = await askMissingValues(extension, desk, prompt);
      if (left.length > 0)
        tell(
          `Extension "${extension.name}" has missing settings: ${left.join(', ')}. Set them: /extensions config ${extension.name}`,
        );
    },
  };
  const desk = new ExtensionDesk({ home, cwd, environment, settings, trustedFolder, port, signal });
  const names = () => desk.list().extensions.map(({ name }) => name);
  const active = () => start.extensions?.extensions.map(({ name }) => name) ?? [];
  const before = names();

  /** A session that is limited to some extensions also gets what was just installed or chosen, and loses what is gone. */
  function reloaded(message: string, chosen: readonly string[] = []): CommandResult {
    if (start.args.extensions === undefined) return { type: 'reload_extensions', message };
    const installed = names();
    const wanted = new Set([...active(), ...chosen, ...installed.filter((name) => !before.includes(name))]);
    return { type: 'reload_extensions', message, names: installed.filter((name) => wanted.has(name)) };
  }

  /** Where something changed, the session loads it. */
  function toResult({ said, failed }: Outcome, chosen: readonly string[] = []): CommandResult {
    const content = [...said, ...failed].join('\n');
    return said.length === 0 ? failure(content) : reloaded(content, chosen);
  }

  async function switchSome(what: 'enable' | 'disable', text: string): Promise<CommandResult> {
    const { operands, isAll, scope = 'user' } = parse(text);
    const chosen = isAll ? names() : operands;
    if (chosen.length === 0)
      throw new ExtensionError(`Usage: /extensions ${what} <name>|--all [--scope user|workspace|session]`);
    if (scope === 'session') {
      const wanted = chosen.map((name) => desk.known(name).name);
      const left = active().filter((name) => !wanted.includes(name));
      const message = `${wanted.join(', ')}: ${what}d for this session.`;
      return { type: 'reload_extensions', message, names: what === 'enable' ? [...left, ...wanted] : left };
    }
    const lines = chosen.flatMap((name) => (what === 'enable' ? desk.enable(name, scope) : desk.disable(name, scope)));
    return reloaded(lines.join('\n'), what === 'enable' ? chosen.map((name) => desk.known(name).name) : []);
  }

  return {
    async list() {
      return listBriefly(desk, {
        updates: await desk.checkUpdates(),
        limit: start.args.extensions?.flatMap((each) => each.split(',')),
      });
    },
    async update(text) {
      const { operands, isAll } = parse(text);
      const chosen = isAll ? names().filter((name) => isUpdatable(desk, name)) : operands;
      if (chosen.length === 0)
        return info(isAll ? 'No extensions to update.' : 'Usage: /extensions update <names>|--all');
      return toResult(await desk.update(chosen));
    },
    enable: (text) => switchSome('enable', text),
    disable: (text) => switchSome('disable', text),
    async install(text) {
      const { operands, ref } = parse(text);
      const [source, ...more] = operands;
      if (source === undefined || more.length > 0)
        throw new ExtensionError('Usage: /extensions install <source> [--ref <ref>]');
      if (/[;&|`'"]/.test(source))
        throw new ExtensionError(`Invalid source: ${source}. It contains a sign of a shell.`);
      return reloaded(await desk.install({ source, ref }));
    },
    async link(path) {
      if (path === '') throw new ExtensionError('Usage: /extensions link <path>');
      return reloaded(await desk.link(path));
    },
    async uninstall(text) {
      const { operands, isAll } = parse(text);
      const chosen = isAll ? names() : operands;
      if (chosen.length === 0)
        return info(isAll ? 'No extensions currently installed.' : 'Usage: /extensions uninstall <names>|--all');
      return toResult(await desk.uninstall(chosen));
    },
    async consent(text) {
      const { operands } = parse(text);
      const outcome = await desk.consent(operands);
      return toResult(
        outcome,
        names().filter((name) => operands.some((given) => given.toLowerCase() === name.toLowerCase())),
      );
    },
    async config(text) {
      if (!prompt) throw new ExtensionError('A headless run cannot ask for values. Use: castor extensions config');
      const { operands, scope } = parse(text);
      const [name, setting] = operands;
      const told: string[] = [];
      const collecting = { ask: prompt.ask, tell: (line: string) => void told.push(line) };
      const chosen = name === undefined ? names() : [name];
      await configureExtension(
        desk,
        { names: chosen, setting, scope: scope === 'workspace' ? scope : 'user' },
        collecting,
      );
      return reloaded(told.join('\n') || 'No extensions installed.');
    },
    async reload(text) {
      const { operands, isAll } = parse(text);
      const unknown = operands.filter((name) => !names().includes(name));
      if (unknown.length > 0) return failure(`Extension(s) not found or not active: ${unknown.join(', ')}`);
      const { length } = operands.length > 0 && !isAll ? operands : names();
      return reloaded(`${length} ${length === 1 ? 'extension' : 'extensions'} reloaded successfully`);
    },
  };
}

function isUpdatable(desk: ExtensionDesk, name: string): boolean {
  const type = desk.find(name)?.installation?.type;
  return type !== undefined && type !== 'link';
}

interface Words {
  operands: string[];
  isAll: boolean;
  scope?: EnablementScope | 'session' | undefined;
  ref?: string | undefined;
}

const SCOPES = ['user', 'workspace', 'session'] as const;

/** Throws an ExtensionError for an unknown option. */
function parse(text: string): Words {
  const words = text
    .replaceAll(/(--(?:scope|ref))=/g, '$1 ')
    .split(/\s+/)
    .filter((word) => word !== '');
  const parsed: Words = { operands: [], isAll: false };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--all') parsed.isAll = true;
    else if (word === '--ref') parsed.ref = words.shift();
    else if (word === '--scope') {
      const given = words.shift()?.toLowerCase();
      parsed.scope = SCOPES.find((scope) => scope === given);
      if (parsed.scope === undefined)
        throw new ExtensionError(`Invalid scope: ${given ?? 'none'}. Please use one of ${SCOPES.join(', ')}.`);
    } else if (word.startsWith('--')) throw new ExtensionError(`${word} is an unknown option.`);
    else parsed.operands.push(word);
  }
  return parsed;
}
