/**
 * Decides how far an answer of "always" reaches: the first words common to all commands it
 * covers. A command stands for others only when none of them can be worse than the one
 * shown; an unknown program stands only for itself.
 */

import { hasDestructiveForms } from './git-forms.ts';
import { isDestructive, reachesNetwork } from './known-commands.ts';
import type { SimpleCommand } from './shell-line.ts';

/** Programs whose subcommands differ in effect. Make and similar tools are not listed: a second target may follow the first. */
const SUBCOMMAND_TOOLS = new Set([
  ...['git', 'npm', 'pnpm', 'yarn', 'bun', 'cargo', 'go', 'pip', 'pip3', 'uv', 'poetry', 'brew', 'dotnet', 'bundle'],
  ...['composer', 'mix', 'flutter', 'dart', 'swift', 'terraform', 'golangci-lint', 'next', 'astro', 'nuxt', 'ng', 'gh'],
]);
/** Programs whose subcommand has two words. */
const TWO_WORDS = new Set(['gh']);

const RUNS_NAMED_SCRIPT = new Set(['run', 'exec', 'x', 'dlx']);

/** Subcommands whose effect depends on their arguments: another package, another place, another time. */
const OPEN_VERB =
  /^(?:install|i|add|require|update|upgrade|uninstall|remove|rm|delete|destroy|apply|import|state|publish|deploy|release|create|merge|close|edit|api|login|logout|token|secret|config|version|unlink|link)$/;

/** Their words are files and options; all their commands are alike. */
const PLAIN_TOOLS = new Set([
  ...[
    'touch',
    'mkdir',
    'rmdir',
    'sort',
    'diff',
    'cmp',
    'comm',
    'join',
    'file',
    'du',
    'df',
    'tree',
    'ps',
    'date',
    'fold',
  ],
  ...[
    'fmt',
    'column',
    'od',
    'hexdump',
    'xxd',
    'md5sum',
    'sha1sum',
    'sha256sum',
    'sha512sum',
    'base64',
    'jq',
    'yq',
    'bat',
  ],
  ...['less', 'more', 'man', 'rg', 'fd', 'ag', 'ack', 'locate', 'sleep', 'printf', 'seq', 'open', 'xdg-open', 'code'],
  ...[
    'jest',
    'vitest',
    'mocha',
    'ava',
    'tap',
    'pytest',
    'tox',
    'nox',
    'phpunit',
    'rspec',
    'cucumber',
    'ctest',
    'ginkgo',
  ],
  ...[
    'tsc',
    'vue-tsc',
    'eslint',
    'oxlint',
    'prettier',
    'biome',
    'stylelint',
    'knip',
    'esbuild',
    'rollup',
    'webpack',
    'vite',
  ],
  ...['ruff', 'black', 'isort', 'mypy', 'pyright', 'flake8', 'pylint', 'rubocop', 'shellcheck', 'shfmt', 'yamllint'],
  ...[
    'gofmt',
    'goimports',
    'rustfmt',
    'clang-format',
    'clang-tidy',
    'markdownlint',
    'actionlint',
    'hadolint',
    'tflint',
  ],
  ...[
    'gcc',
    'g++',
    'cc',
    'clang',
    'clang++',
    'rustc',
    'javac',
    'protoc',
    'cmake',
    'ninja',
    'dot',
    'ktlint',
    'swiftlint',
  ],
]);

/** Undefined when the answer covers only this command. */
export function prefixOf(command: SimpleCommand): string | undefined {
  const { words } = command;
  const [name = '', ...rest] = words.map(({ value }) => value);
  if (isDestructive(command) || reachesNetwork(command)) return undefined;
  if (words.some(({ kind }) => kind !== 'literal') || /[\s"'\\]/.test(name)) return undefined;
  if (SUBCOMMAND_TOOLS.has(name)) return subcommandPrefix(name, rest);
  return PLAIN_TOOLS.has(name) || isOwnScript(name) ? name : undefined;
}

/** Whether it is a script of the project, by its path; not one whose arguments choose what it does. */
function isOwnScript(name: string): boolean {
  return name.startsWith('./') && !/node_modules|(?:gradlew|mvnw)$/.test(name);
}

function subcommandPrefix(name: string, rest: readonly string[]): string | undefined {
  const [verb = ''] = rest;
  const length = RUNS_NAMED_SCRIPT.has(verb) || TWO_WORDS.has(name) ? 2 : 1;
  const named = rest.slice(0, length);
  if (named.length < length || !named.every(isPlainWord)) return undefined;
  if (RUNS_NAMED_SCRIPT.has(verb)) return [name, ...named].join(' ');
  const isOpen = named.some((word) => OPEN_VERB.test(word)) || (name === 'git' && hasDestructiveForms(verb));
  return isOpen ? undefined : [name, ...named].join(' ');
}

function isPlainWord(value: string): boolean {
  return /^[\w:@./+][\w:@./+-]*$/.test(value);
}
