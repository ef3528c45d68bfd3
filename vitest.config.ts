/**
 * Three projects: `unit` beside the source, `program` over the built program, `endurance` for kills, seeds and storms
 * at full length. A test with a long form is called x.endurance.test.ts: `inject('isEndurance')` tells it which to take.
 * A test beside the source that starts processes is called x.process.test.ts (with a long form x.process.endurance.test.ts)
 * and runs with `program`. A further variant of a promise is tagged `wide`: `npm test` leaves it to
 * `npm run endurance`, which runs it with the project `wide`.
 */

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { inMemory } from './test/house/temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    isEndurance: boolean;
  }
  interface TestTags {
    tags: 'wide';
  }
}

function project(name: string, include: string[], { exclude = [] as string[], isEndurance = false, env = {} } = {}) {
  return { extends: true as const, test: { name, include, exclude, env, provide: { isEndurance } } };
}

/**
 * Core starts the process that keeps files for undo from beside itself. Node would strip the types of its sources at every
 * start, which costs eight times the start: so core is told the place it has in the bundle, where `npm test` has built it.
 */
const builtUndoProcess = {
  name: 'built-undo-process',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('/core/src/undo/undo-client.ts')) return undefined;
    const bundle = fileURLToPath(new URL('packages/cli/dist/main', import.meta.url));
    return { code: code.replace('import.meta.url', JSON.stringify(bundle)), map: null };
  },
};

const UNIT = 'packages/*/src/**/*';
const PROGRAM = 'test/**/*';
const PROCESS = `${UNIT}.process{.endurance,}.test.ts`;

export default defineConfig({
  // The build sets it.
  define: { CASTOR_VERSION: JSON.stringify('0.0.0-test') },
  plugins: [builtUndoProcess],
  resolve: { conditions: ['castor-source'] },
  ssr: { resolve: { conditions: ['castor-source'] } },
  test: {
    projects: [
      project('unit', [`${UNIT}.test.ts`], { exclude: [PROCESS], env: inMemory() }),
      project('program', [`${PROGRAM}.test.ts`, PROCESS]),
      // For what is tagged so; a long form includes what is wide in its file.
      project('wide', [`${UNIT}.test.ts`, `${PROGRAM}.test.ts`], { exclude: ['**/*.endurance.test.ts'] }),
      project('endurance', [`${UNIT}.endurance.test.ts`, `${PROGRAM}.endurance.test.ts`], { isEndurance: true }),
    ],
    tags: [{ name: 'wide', description: 'A further variant of a promise that another test shows.' }],
    globalSetup: ['test/house/temporary-folder.ts', 'test/house/scripted-server.ts'],
    pool: 'forks',
    // Most tests wait for a program, a terminal or a timer: as many workers as cores leave them idle for a part of the time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Files share a worker: one of its own costs more than most files' tests. So a test takes back what it sets.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
