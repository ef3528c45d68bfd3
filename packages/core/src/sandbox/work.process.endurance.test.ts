/**
 * The tools of everyday work, each inside a real sandbox. Short: npm, make, gcc, several processes and their sockets; at
 * full length also pip, cargo, go, vitest and tsx. A tool that is not installed is left out, and named in the test.
 */

import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { describeRefusedNamespace } from './describe-denials.ts';
import { openTestSandbox, reasonToSkip } from './sandbox.fixture.ts';
import type { TestSandbox, TestSandboxOptions } from './sandbox.fixture.ts';

const reason = await reasonToSkip();
const REPOSITORY = join(import.meta.dirname, '../../../..');
const LIMIT_MS = 300_000;

/** What a program prints outside; undefined where it is not installed. */
function ask(file: string, ...args: string[]): string | undefined {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

interface Tool {
  name: string;
  isLong?: boolean;
  /** Where it is installed: readable though it may be below a hidden folder. Undefined: not installed. */
  place: string | undefined;
  files: Record<string, string>;
  /** `place` is its first argument. */
  line: string;
  prints: string;
}

const WHEEL = `import zipfile; z = zipfile.ZipFile("x-1.0-py3-none-any.whl", "w")
z.writestr("x.py", "word = 'from x'")
z.writestr("x-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: x\\nVersion: 1.0\\n")
z.writestr("x-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
z.writestr("x-1.0.dist-info/RECORD", ""); z.close()`;
const PROCESSES = `import multiprocessing as m
if __name__ == "__main__":
    print(sum(m.Pool(2).map(abs, [-1, 2])), m.Manager().list([4])[0])`;
const LOCK = JSON.stringify({
  ...{ name: 'x', version: '1.0.0', lockfileVersion: 3 },
  packages: {
    '': { name: 'x', version: '1.0.0', dependencies: { dep: 'file:dep' } },
    dep: { version: '1.0.0' },
    'node_modules/dep': { resolved: 'dep', link: true },
  },
});

const python = ask('python3', '-c', 'import pip, sys; print(sys.base_prefix)');
const TOOLS: readonly Tool[] = [
  {
    name: 'npm ci and npm run',
    place: ask('npm', '--version') && '/',
    files: {
      'package.json':
        '{"name":"x","version":"1.0.0","dependencies":{"dep":"file:dep"},"scripts":{"hello":"node -p \\"require(\'dep\')\\""}}',
      'package-lock.json': LOCK,
      'dep/package.json': '{"name":"dep","version":"1.0.0","main":"i.js"}',
      'dep/i.js': 'module.exports = "from dep";',
    },
    line: 'npm ci --offline --no-audit --no-fund --loglevel=error >/dev/null && npm run -s hello',
    prints: 'from dep\n',
  },
  {
    name: 'pip',
    isLong: true,
    place: python,
    files: { 'wheel.py': WHEEL },
    line: 'export PIP_ROOT_USER_ACTION=ignore; "$1/bin/python3" wheel.py && "$1/bin/python3" -m pip -q --disable-pip-version-check install --no-index --target lib ./x-1.0-py3-none-any.whl && PYTHONPATH=lib "$1/bin/python3" -c "import x; print(x.word)"',
    prints: 'from x\n',
  },
  {
    name: 'several processes and the sockets between them',
    place: python,
    files: { 'processes.py': PROCESSES },
    line: '"$1/bin/python3" processes.py',
    prints: '3 4\n',
  },
  {
    name: 'make',
    place: ask('make', '--version') && '/',
    files: { Makefile: 'built: a\n\tcp a built\n', a: 'made\n' },
    line: 'make -s && cat built',
    prints: 'made\n',
  },
  {
    name: 'gcc',
    place: ask('gcc', '--version') && '/',
    files: { 'c.c': 'int main(void) { return 7; }' },
    line: 'gcc c.c -o c && ./c; echo $?',
    prints: '7\n',
  },
  {
    name: 'cargo',
    isLong: true,
    place: ask('rustc', '--print', 'sysroot'),
    files: {
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("from rust") }',
    },
    line: 'export PATH="$1/bin:$PATH"; cargo run -q --offline',
    prints: 'from rust\n',
  },
  {
    name: 'go',
    isLong: true,
    place: ask('go', 'env', 'GOROOT'),
    files: {
      'go.mod': 'module x\n',
      'main.go': 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("from go") }\n',
    },
    line: '"$1/bin/go" run .',
    prints: 'from go\n',
  },
  {
    name: 'vitest',
    isLong: true,
    place: REPOSITORY,
    files: {
      'one.test.mjs': 'import { expect, it } from "vitest"; it("adds", () => expect(1 + 1).toBe(2));',
      'node_modules/.keep': '',
    },
    line: `NO_COLOR=1 '${process.execPath}' "$1/node_modules/vitest/vitest.mjs" run 2>&1 | grep -o 'Tests  1 passed'`,
    prints: 'Tests  1 passed\n',
  },
  {
    name: 'tsx',
    isLong: true,
    place: ask('tsx', '--version') && '/',
    files: { 'a.ts': 'const word: string = "from tsx"; console.log(word);' },
    line: 'tsx a.ts',
    prints: 'from tsx\n',
  },
];

const isOpen = ({ isLong = false, place }: Tool) => place !== undefined && (!isLong || inject('isEndurance'));
const missing = TOOLS.filter(({ place }) => place === undefined).map(({ name }) => name);
const without = missing.length === 0 ? '' : ` (not installed: ${missing.join(', ')})`;

async function openFor(tool: Tool): Promise<TestSandbox> {
  const readable = tool.place === undefined || tool.place === '/' ? [] : [tool.place];
  const options: TestSandboxOptions = { files: tool.files, granted: () => ({ writable: [], readable }) };
  return openTestSandbox(options);
}

describe.skipIf(reason !== undefined)(
  `work in a sandbox${reason === undefined ? without : `: skipped, ${reason}`}`,
  () => {
    it.each(TOOLS.filter((tool) => isOpen(tool)))(
      'is done with $name',
      async (tool) => {
        using box = await openFor(tool);
        if (tool.place === REPOSITORY)
          symlinkSync(join(REPOSITORY, 'node_modules/vitest'), join(box.root, 'node_modules/vitest'));
        const line = `set -- '${tool.place}'; ${tool.line}`;
        const { stdout, stderr } = await box.run(line);
        expect([stdout, stderr]).toEqual([tool.prints, '']);
      },
      LIMIT_MS,
    );

    it('is refused to a browser with a sandbox of its own, and the reason is said', async () => {
      using box = await openTestSandbox();
      const { code, stderr } = await box.run('unshare -U true');
      expect(describeRefusedNamespace({ output: stderr, exitCode: code })).toContain(
        'Playwright: chromiumSandbox: false',
      );
      expect(describeRefusedNamespace({ output: 'bash: unshared', exitCode: 1 })).toBeUndefined();
    });
  },
);
