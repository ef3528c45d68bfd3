import { describe, expect, it } from 'vitest';
import { createCommandCompletion } from './command-completion.ts';
import type { CommandInfo } from './command-completion.ts';

const COMMANDS: CommandInfo[] = [
  { name: 'help', description: 'Shows help.' },
  { name: 'hooks', description: 'Hooks.', subCommands: [{ name: 'enable', description: 'On.' }] },
  {
    name: 'chat',
    description: 'Sessions.',
    aliases: ['resume'],
    subCommands: [
      { name: 'save', description: 'Saves.' },
      {
        name: 'delete',
        description: 'Deletes.',
        complete: async (partial) => ['tag-1', 'tag-2'].filter((tag) => tag.startsWith(partial)),
      },
    ],
  },
  { name: 'corgi', description: 'Hidden.', isHidden: true },
];

const completion = createCommandCompletion(() => COMMANDS);

async function suggest(line: string): Promise<string[] | undefined> {
  const target = completion.detect({ row: 0, line, column: line.length });
  if (target === undefined) return undefined;
  const { items } = await completion.complete(target, new AbortController().signal);
  return items.map(({ insert, isExact }) => `${line.slice(0, target.start)}${insert}${isExact ? '!' : ''}`);
}

describe('createCommandCompletion', () => {
  it.each<[string, string[] | undefined]>([
    ['/', ['/chat ', '/help ', '/hooks ']],
    ['/he', ['/help ']],
    ['/help', ['/help !']],
    ['/h', ['/help ', '/hooks ', '/chat ']],
    ['/resu', ['/chat ']],
    ['/resume', ['/chat !']],
    ['/corgi', ['/corgi !']],
    ['/chat ', ['/chat delete ', '/chat save ']],
    ['/chat sa', ['/chat save ']],
    ['/resume delete ', ['/resume delete tag-1', '/resume delete tag-2']],
    ['/chat delete tag-1', ['/chat delete tag-1!']],
    ['/nothing ', []],
    ['/home/me', []],
    ['no command', undefined],
  ])('suggests for %j', async (line, expected) => {
    expect(await suggest(line)).toEqual(expected);
  });

  it('looks at the first line only', () => {
    expect(completion.detect({ row: 1, line: '/help', column: 5 })).toBeUndefined();
  });
});
