/**
 * Selects the hooks to run: by event and matcher, each (name, command) once, and all of them
 * sequentially as soon as one requires it. Pure.
 */

import type { HookEntry } from './hook-config.ts';
import type { HookEventName } from './hook-events.ts';
import { isForeign } from '../protocol/source.ts';

export interface ChosenHooks {
  entries: readonly HookEntry[];
  isSequential: boolean;
}

/** Old tool names that matchers may still use. */
const OLD_TOOL_NAMES: ReadonlyMap<string, string> = new Map([['grep_search', 'search_file_content']]);

/** `trigger` is the matcher's subject: a tool's name, a source, a reason. */
export function chooseHooks(entries: readonly HookEntry[], event: HookEventName, trigger?: string): ChosenHooks {
  const matching = entries.filter((entry) => !entry.isDisabled && entry.event === event && isMatch(entry, trigger));
  return { entries: withoutDuplicates(matching), isSequential: matching.some(({ sequential }) => sequential) };
}

function isMatch({ event, matcher }: HookEntry, trigger: string | undefined): boolean {
  if (matcher === '' || matcher === '*' || trigger === undefined) return true;
  switch (event) {
    case 'BeforeTool':
    case 'AfterTool':
      return isToolMatch(matcher, trigger) || isToolMatch(matcher, OLD_TOOL_NAMES.get(trigger));
    case 'SessionStart':
    case 'SessionEnd':
    case 'PreCompress':
      return matcher === trigger;
    default:
      return true;
  }
}

function isToolMatch(matcher: string, toolName: string | undefined): boolean {
  if (toolName === undefined) return false;
  try {
    return new RegExp(matcher).test(toolName);
  } catch {
    // An invalid regular expression is compared as a name.
    return matcher === toolName;
  }
}

/** Of two equal hooks, one from the user's own files replaces a foreign one, in the place of the first. */
function withoutDuplicates(entries: readonly HookEntry[]): HookEntry[] {
  const chosen = new Map<string, HookEntry>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.name, entry.command]);
    const other = chosen.get(key);
    if (!other || (isForeign(other.source) && !isForeign(entry.source))) chosen.set(key, entry);
  }
  return [...chosen.values()];
}
