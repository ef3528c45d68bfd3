/**
 * The caches of package managers, relative to the home folder: writable, so that installing works. Not what they load as settings or put
 * on the PATH. Pure.
 */

import { join } from 'node:path';

const CACHES =
  `.npm .cache/pip .cache/uv .cache/pypoetry .cache/yarn .cache/pnpm .local/share/pnpm/store .yarn/berry/cache
  .cache/node .cache/node-gyp .cache/deno .bun/install/cache .cargo/registry .cargo/git .cache/go-build go/pkg/mod .gradle/caches
  .gradle/wrapper .m2/repository .cache/ms-playwright .cache/pre-commit .nuget/packages .cache/composer .cache/ccache .ccache
  .cache/sccache .cache/bazel .cache/mypy .cache/ruff .cache/turbo .cache/electron .cache/typescript .hex/packages .cache/rebar3
  .ivy2/cache .sbt/boot .cache/coursier .pub-cache/hosted .pub-cache/git .stack/pantry .stack/snapshots .cabal/packages`
    .trim()
    .split(/\s+/);

/** Created before a command runs where its package manager is installed, so that a first installation works. */
const CREATED = ['.npm', '.cache/pip', '.cargo/registry', '.cache/go-build', 'go/pkg/mod'];

export function cacheFolders(home: string): string[] {
  return CACHES.map((path) => join(home, path));
}

/** The ones that a session creates where they are missing. */
export function cachesToCreate(home: string): string[] {
  return CREATED.map((path) => join(home, path));
}
