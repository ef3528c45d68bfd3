import { describe, expect, it } from 'vitest';
import { parseArguments } from './args.ts';
import { refuseBesideEditor, refuseBesideListing, refuseOnScreen } from './idle-flags.ts';

const refusal = (refuse: (args: ReturnType<typeof parseArguments>) => void, argv: string[]) => {
  try {
    refuse(parseArguments(argv));
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
};

describe('flags that would have no effect', () => {
  it.each<[string[], string]>([
    [['-p', 'hi'], '--prompt'],
    [['hi'], 'a prompt'],
    [['-o', 'json'], '--output-format'],
    [['-r'], '--resume'],
    [['-e', 'a'], '--extensions'],
    [['-y'], '--yolo'],
  ])('are refused beside a listing: %j', (more, idle) => {
    for (const listing of ['--list-sessions', '--list-extensions', '--delete-session=1']) {
      const expected = `${idle} has no effect on ${listing.replace('=1', '')}; leave it out.`;
      expect(refusal(refuseBesideListing, [listing, ...more])).toBe(expected);
      expect(refusal(refuseBesideListing, [listing, '--debug', '--no-yolo'])).toBeUndefined();
    }
    expect(refusal(refuseBesideListing, ['--list-sessions', '--delete-session', '1'])).toContain('--delete-session');
  });

  it.each<[string[], string]>([
    [['-p', 'hi'], '--prompt'],
    [['-i', 'hi'], '--prompt-interactive'],
    [['hi'], 'a prompt'],
    [['-o', 'json'], '--output-format'],
    [['-r'], '--resume'],
    [['--continue'], '--continue'],
    [['--screen-reader'], '--screen-reader'],
  ])('are refused beside --acp: %j', (more, idle) => {
    const expected = `${idle} has no effect on --acp, where an editor decides on it; leave it out.`;
    expect(refusal(refuseBesideEditor, ['--acp', ...more])).toBe(expected);
    expect(refusal(refuseBesideEditor, ['--acp', '-m', 'x', '-y', '--max-turns', '3'])).toBeUndefined();
  });

  it.each<[string[], string]>([
    [['-o', 'json'], '--output-format'],
    [['-i', 'hi', '--input-format', 'stream-json'], '--input-format'],
    [['--output-schema', 'a.json'], '--output-schema'],
    [['--raw-output'], '--raw-output'],
    [['--accept-raw-output-risk', 'hi'], '--accept-raw-output-risk'],
    [['--acp', '-i', 'hi'], '--acp'],
  ])('are refused on a screen: %j', (argv, idle) => {
    const expected = `${idle} has no effect on a screen; leave it out, or pass the prompt with -p.`;
    expect(refusal(refuseOnScreen, argv)).toBe(expected);
    expect(refusal(refuseOnScreen, ['-o', 'text', '-y', 'hi'])).toBeUndefined();
  });
});
