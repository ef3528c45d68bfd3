/**
 * Knows commands that bring files whose names only a server, a container or the program
 * itself knows, and those that write a file of environment variables by their purpose.
 */

import { baseName } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

export interface Fetch {
  /** What a rule must spell to cover the form. */
  word: string;
  /** Names the place of the names, and how to see them. */
  where: string;
}

interface Fetcher extends Fetch {
  /** Matches the words after the name of the program. */
  form: RegExp;
}

const REMOTE = 'what the remote sends';
const BOX = 'the container';
const PURPOSE = 'the settings it stores: that is its purpose';
const REMOTE_PATH = String.raw`[\w./-]+:[^ ]*`;

const CONTAINER: Fetcher = { word: 'cp', where: BOX, form: new RegExp(`^(?:compose )?cp (?:-\\S+ )*${REMOTE_PATH} `) };

/** Into the line's own folder; another one is a folder of its own. */
const TEMPLATE: Fetcher = { word: '.', where: 'the template', form: /^(?:-\S+ )*\S+ (?:-\S+ )*(?:\.\/? )?(?:-\S+ )*$/ };

const FETCHERS: Readonly<Record<string, readonly Fetcher[]>> = {
  gh: [
    {
      word: 'checkout',
      where: `${REMOTE}. Run \`git fetch origin pull/<number>/head:<branch>\`, then \`git checkout <branch>\` as a command of its own, which shows them`,
      form: /^(?:pr checkout|co) /,
    },
    { word: 'sync', where: REMOTE, form: /^repo sync\b/ },
    { word: 'download', where: REMOTE, form: /^(?:run|release) download\b/ },
  ],
  glab: [{ word: 'checkout', where: REMOTE, form: /^mr checkout\b/ }],
  hub: [{ word: 'checkout', where: REMOTE, form: /^(?:checkout|pr checkout|pull|sync|am|apply)\b/ }],
  hg: [
    {
      word: 'update',
      where: REMOTE,
      form: /^(?:update|up|checkout|co|merge|import|patch|pull (?:.* )?(?:-u|--update)\b)/,
    },
  ],
  svn: [{ word: 'update', where: REMOTE, form: /^(?:update|up|switch|sw|merge|patch|revert)\b/ }],
  docker: [CONTAINER],
  podman: [CONTAINER],
  nerdctl: [CONTAINER],
  kubectl: [CONTAINER],
  oc: [CONTAINER, { word: 'rsync', where: BOX, form: /^rsync\b/ }],
  aws: [{ word: 's3', where: 'the bucket', form: /^s3 (?:sync|(?:cp|mv)(?=.*--recursive)) (?:-\S+ )*s3:/ }],
  gsutil: [{ word: 'rsync', where: 'the bucket', form: /^(?:-m )?(?:rsync|cp(?=.* -[rR])) (?:-\S+ )*gs:/ }],
  gcloud: [
    { word: 'storage', where: 'the bucket', form: /^storage (?:rsync|cp(?=.* (?:-[rR]|--recursive))) (?:-\S+ )*gs:/ },
  ],
  rclone: [{ word: 'copy', where: 'the remote', form: /^(?:copy|sync|move|bisync) (?:-\S+ )*\S+:/ }],
  adb: [{ word: 'pull', where: 'the device', form: /^pull\b/ }],
  wget: [
    {
      word: '-r',
      where: 'the server',
      form: /(?:^| )(?:-[A-Za-z]*[rmi]\b|--recursive|--mirror|--input-file|--content-disposition)/,
    },
  ],
  curl: [{ word: '-J', where: 'the server', form: /(?:^| )(?:-[A-Za-z]*J|--remote-header-name)\b/ }],
  vercel: [{ word: 'pull', where: PURPOSE, form: /^(?:env )?pull\b/ }],
  vc: [{ word: 'pull', where: PURPOSE, form: /^(?:env )?pull\b/ }],
  eas: [{ word: 'env:pull', where: PURPOSE, form: /^env:pull\b/ }],
  shopify: [{ word: 'pull', where: PURPOSE, form: /^app env pull\b/ }],
  dotenv: [{ word: 'set', where: PURPOSE, form: /^(?:-\S+ \S+ )*(?:set|unset)\b/ }],
  dotenvx: [{ word: 'set', where: PURPOSE, form: /^(?:set|encrypt|decrypt|rotate)\b/ }],
  'dotenv-vault': [{ word: 'pull', where: PURPOSE, form: /^(?:pull|new|build|open)\b/ }],
  doppler: [{ word: 'download', where: PURPOSE, form: /^secrets download(?!.*--no-file)/ }],
  convex: [{ word: 'dev', where: PURPOSE, form: /^(?:dev|init)\b/ }],
  degit: [TEMPLATE],
  tiged: [TEMPLATE],
  prisma: [{ word: 'init', where: PURPOSE, form: /^init\b/ }],
  php: [{ word: 'key:generate', where: PURPOSE, form: /^artisan (?:key:generate|env:(?:decrypt|encrypt))\b/ }],
  artisan: [{ word: 'key:generate', where: PURPOSE, form: /^(?:key:generate|env:(?:decrypt|encrypt))\b/ }],
  composer: [{ word: 'dump-env', where: PURPOSE, form: /^(?:symfony:)?dump-env\b/ }],
};

/** What runs the program that its words name. */
const PACKAGE_RUNNER = /^(?:npx|pnpx|bunx|yarn|pnpm|npm|bun)$/;

export function fetchOf(words: readonly ShellWord[]): Fetch | undefined {
  const [head, ...rest] = words;
  if (head === undefined) return undefined;
  const name = baseName(head);
  if (PACKAGE_RUNNER.test(name)) {
    const at = rest.findIndex(({ value }) => !/^(?:-.*|exec|dlx|x|run)$/.test(value));
    const program = rest[at];
    if (program === undefined) return undefined;
    // A version may follow the name of a package: `prisma@6`.
    return fetched(program.value.replace(/(?<=.)@.*$/, ''), rest.slice(at + 1));
  }
  return fetched(name, rest);
}

function fetched(name: string, rest: readonly ShellWord[]): Fetch | undefined {
  if (!Object.hasOwn(FETCHERS, name)) return undefined;
  const text = `${rest.map(({ value }) => value).join(' ')} `;
  return FETCHERS[name]?.find(({ form }) => form.test(text));
}
