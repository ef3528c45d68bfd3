/**
 * Prompts of MCP servers as slash commands. A prompt keeps its name unless another command has it: then it is
 * `<server>.<prompt>`; of two servers with the same prompt the later by name has `<server>_<prompt>`.
 */

import { getErrorMessage } from '@castor/core';
import type { WorkspaceAgent } from '@castor/core';
import { makeVisibleLine } from '../make-visible.ts';
import { sanitize } from '../sanitize.ts';
import { failure, info } from './command.ts';
import type { SlashCommand } from './command.ts';

type Servers = NonNullable<WorkspaceAgent['servers']>;
type OfferedPrompt = ReturnType<Servers['contents']['prompts']>[number];

/** `taken` holds the names of all other commands. */
export function toPromptCommands(servers: Servers, taken: ReadonlySet<string>): SlashCommand[] {
  const used = new Set(taken);
  return servers.contents.prompts().map((offered) => {
    const name = freeName(offered, taken, used);
    used.add(name);
    return toCommand(servers, offered, name);
  });
}

function freeName({ server, prompt }: OfferedPrompt, taken: ReadonlySet<string>, used: ReadonlySet<string>): string {
  const bare = bareName(prompt.name);
  if (!used.has(bare)) return bare;
  const wanted = taken.has(bare) ? `${server}.${bare}` : `${server}_${bare}`;
  let name = wanted;
  for (let number = 1; used.has(name); number++) name = `${wanted}${number}`;
  return name;
}

/** As it is typed, unless another command has the name. */
export function bareName(prompt: string): string {
  return sanitize(prompt).trim().replaceAll(/\s+/g, '-');
}

/** In the order in which values without names fill them. */
export function describeUsage(declared: OfferedPrompt['prompt']['arguments']): string {
  const names = inOrder(declared).map(({ name, isRequired }) => {
    const shown = makeVisibleLine(name);
    return isRequired ? `--${shown}=…` : `[--${shown}=…]`;
  });
  return names.join(' ');
}

function inOrder(declared: OfferedPrompt['prompt']['arguments']): OfferedPrompt['prompt']['arguments'] {
  return declared.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function toCommand(servers: Servers, { server, prompt }: OfferedPrompt, name: string): SlashCommand {
  const { arguments: declared } = prompt;
  const usage = describeUsage(declared);
  return {
    name,
    description: `${prompt.description || `Invoke prompt ${bareName(prompt.name)}`} (${server})`,
    source: { kind: 'server', name: server },
    // Without declared arguments too: words after the name are then an error, not a sentence for the model.
    usage,
    runsHeadless: true,
    subCommands: [
      {
        name: 'help',
        description: 'Describes the arguments.',
        source: { kind: 'server', name: server },
        runsHeadless: true,
        runsWhileBusy: true,
        run: () => info(describeArguments(name, prompt)),
      },
    ],
    async run({ signal }, args) {
      try {
        return { type: 'submit_prompt', parts: await servers.contents.getPrompt(server, prompt, args, signal) };
      } catch (error) {
        if (signal.aborted) throw error;
        return failure(`/${name} was not sent: ${getErrorMessage(error)}`);
      }
    },
    complete: (partial, signal, before) => completeArgument(servers, { server, prompt }, { partial, before, signal }),
  };
}

function describeArguments(name: string, { description, arguments: declared }: OfferedPrompt['prompt']): string {
  if (declared.length === 0) return `/${name} takes no arguments. ${description}`.trim();
  const rows = inOrder(declared).map((each) => {
    const about = [each.description, each.isRequired ? '(required)' : '(optional)'].filter(Boolean).join(' ');
    return `  --${makeVisibleLine(each.name)}  ${about}`;
  });
  return [`/${name} ${description}`.trim(), 'Arguments, as --name="value" or in this order:', ...rows].join('\n');
}

interface Typed {
  partial: string;
  before: string;
  signal: AbortSignal;
}

/** Names that are not used yet, or the values that the server offers for the one being typed. */
async function completeArgument(
  servers: Servers,
  { server, prompt }: OfferedPrompt,
  { partial, before, signal }: Typed,
): Promise<string[]> {
  const [, name = '', typed] = /^--([^=]+)=(.*)$/s.exec(partial) ?? [];
  if (typed !== undefined) {
    const value = typed.replace(/^"/, '');
    const values = await servers.contents.completePrompt(server, prompt, { name, value, before }, signal);
    return values.map((each) => `--${name}="${each.replaceAll(/["\\]/g, String.raw`\$&`)}" `);
  }
  return prompt.arguments
    .filter((each) => !before.includes(`--${each.name}`) && `--${each.name}`.startsWith(partial))
    .map((each) => `--${each.name}="`);
}
