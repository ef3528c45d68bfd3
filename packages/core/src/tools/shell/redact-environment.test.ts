import { describe, expect, it } from 'vitest';
import { createRedaction, isAlwaysRedacted } from './redact-environment.ts';

const NAMES = {
  PATH: '/bin',
  LC_ALL: 'C',
  GEMINI_CLI_SURFACE: 'x',
  EDITOR: 'vi',
  HARMLESS: 'yes',
  SSL_CERT_FILE: '/etc/ssl/cert.pem',
  NODE_EXTRA_CA_CERTS: '/etc/ssl/own.pem',
  PIP_CERT: '/etc/ssl/own.pem',
  NIX_SSL_CERT_FILE: '/etc/ssl/own.pem',
  GIT_AUTHOR_NAME: 'Ada',
  DEPLOY_KEY: 'k',
  MY_API_KEY: '1',
  db_password: '1',
  AZURE_TENANT: '1',
  DATABASE_URL: '1',
  DOCS: 'https://example.com/a',
  MIRROR: 'https://me:geheim@example.com',
  NOTE: `-----BEGIN ${'RSA'} PRIVATE KEY-----`,
};

const CERTAIN = ['MY_API_KEY', 'db_password', 'AZURE_TENANT', 'DATABASE_URL', 'MIRROR', 'NOTE'];

function removed(...options: Parameters<typeof createRedaction>): string[] {
  const isRedacted = createRedaction(...options);
  return Object.entries(NAMES)
    .filter(([name, value]) => isRedacted(name, value))
    .map(([name]) => name);
}

describe('what looks like a secret', () => {
  it.each([
    ['what holds one, also while it is off', { enabled: false }, CERTAIN],
    ['nothing that was granted', { enabled: false, allowed: ['*'] }, []],
    [
      'nothing of a family that was granted',
      { enabled: false, allowed: ['azure_*', 'M*'] },
      ['db_password', 'DATABASE_URL', 'NOTE'],
    ],
    ['what was blocked, also while it is off', { enabled: false, allowed: ['*'], blocked: ['harmless'] }, ['HARMLESS']],
    ['names and values that look like secrets', { enabled: true }, ['DEPLOY_KEY', ...CERTAIN]],
    [
      'not what was allowed',
      { enabled: true, allowed: ['MY_API_KEY', 'NOTE', 'AZURE_TENANT'] },
      ['DEPLOY_KEY', 'db_password', 'DATABASE_URL', 'MIRROR'],
    ],
    [
      'what was blocked and allowed',
      { enabled: true, allowed: ['PATH'], blocked: ['PATH'] },
      ['PATH'].concat(removed({ enabled: true })),
    ],
  ])('is %s', (_what, options, expected) => {
    expect(removed(options)).toEqual(expected);
  });

  it.each([
    [{ GITHUB_ACTIONS: 'true' }, true],
    [{ GITHUB_ACTIONS: 'false' }, false],
    [{}, false],
  ])('is removed on a runner of GitHub in any case: %j', (environment, expected) => {
    expect(isAlwaysRedacted(environment)).toBe(expected);
  });
});
