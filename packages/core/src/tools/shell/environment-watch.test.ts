import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../util/clock.ts';
import { EnvironmentWatch } from './environment-watch.ts';

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'castor-watch-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (path: string) => join(base, path);
function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function open() {
  mkdirSync(at('home/project'), { recursive: true });
  const watch = new EnvironmentWatch({
    folders: [at('home/project')],
    home: at('home'),
    keepIn: at('kept'),
    clock: systemClock,
  });
  return watch;
}

describe('EnvironmentWatch', () => {
  it.each([
    'home/project/.env',
    'home/project/.env.local',
    'home/project/.gemini/.env',
    'home/.env',
    'home/.gemini/.env',
  ])('reports a change of %s and keeps the previous content for the owner', (path) => {
    write(path, 'KEY=mine\n');
    const compare = open().open(at('home/project'));
    write(path, 'KEY=evil\n');
    const changes = compare();
    expect(changes).toEqual([{ path: at(path), kind: 'changed', kept: expect.stringContaining('-env') }]);
    const kept = changes[0]?.kept ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('KEY=mine\n');
    expect([statSync(kept).mode & 0o777, statSync(at('kept')).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('reports files that appear and disappear, and those of packages', () => {
    write('home/project/.env', 'A=1\n');
    write('home/project/packages/api/.env', 'B=1\n');
    write('home/project/node_modules/x/.env', 'C=1\n');
    const compare = open().open(at('home/project'));
    rmSync(at('home/project/.env'));
    write('home/project/.env.production', 'A=2\n');
    write('home/project/packages/api/.env', 'B=2\n');
    write('home/project/node_modules/x/.env', 'C=2\n');
    const kinds = compare().map(({ path, kind }) => `${path.slice(base.length + 14)} ${kind}`);
    expect(kinds.sort()).toEqual(['.env removed', '.env.production created', 'packages/api/.env changed']);
  });

  it('is silent about templates, the same content, a new time and what another command was told for', () => {
    write('home/project/.env', 'A=1\n');
    const watch = open();
    const [first, second] = [watch.open(at('home/project')), watch.open(at('home/project'))];
    write('home/project/.env.example', 'A=\n');
    write('home/project/.env', 'A=1\n');
    utimesSync(at('home/project/.env'), 1, 1);
    expect(first()).toEqual([]);
    write('home/project/.env', 'A=2\n');
    expect([first().length, second().length]).toEqual([1, 0]);
  });

  it('sees a change that has the same size and time', () => {
    write('home/project/.env', 'A=1\n');
    utimesSync(at('home/project/.env'), 1, 1);
    const compare = open().open(at('home/project'));
    write('home/project/.env', 'A=2\n');
    utimesSync(at('home/project/.env'), 1, 1);
    expect(compare()).toHaveLength(1);
  });

  it('keeps a bounded number of previous contents', () => {
    const watch = open();
    for (let index = 0; index < 25; index += 1) {
      const compare = watch.open(at('home/project'));
      write(`home/project/.env.${index % 2}`, `A=${index}\n`);
      compare();
    }
    expect(readdirSync(at('kept')).length).toBeLessThanOrEqual(20);
  });
});
