import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy-environment.ts';

const A = 'http://a.example:1';
const B = 'http://b.example:2';

describe('proxyFromEnvironment', () => {
  it('names no proxy when no variable does', () => {
    expect(proxyFromEnvironment({})).toBeUndefined();
    expect(proxyFromEnvironment({ HTTPS_PROXY: '', NO_PROXY: '*' })).toBeUndefined();
  });

  it.each<[string, Record<string, string>, { https: string | undefined; http: string | undefined }]>([
    ['one for each kind', { HTTPS_PROXY: A, HTTP_PROXY: B }, { https: A, http: B }],
    ['lower case', { https_proxy: A, http_proxy: B }, { https: A, http: B }],
    ['lower case before upper case', { https_proxy: A, HTTPS_PROXY: B }, { https: A, http: A }],
    ['only the one for http', { HTTP_PROXY: B }, { https: B, http: B }],
    ['only the one for https', { HTTPS_PROXY: A }, { https: A, http: A }],
  ])('reads %s', (_name, environment, expected) => {
    const proxyFor = proxyFromEnvironment(environment)!;
    expect({ https: proxyFor(new URL('https://x.test')), http: proxyFor(new URL('http://x.test')) }).toEqual(expected);
  });

  it.each<[string, string, boolean]>([
    ['*', 'https://x.test', true],
    ['x.test', 'https://x.test', true],
    ['X.Test', 'https://x.TEST/path', true],
    ['x.test', 'https://api.x.test', true],
    ['.x.test', 'https://api.x.test', true],
    ['*.x.test', 'https://api.x.test', true],
    ['x.test', 'https://box.test', false],
    ['api.x.test', 'https://x.test', false],
    ['a.test, x.test', 'https://x.test', true],
    ['a.test x.test', 'https://x.test', true],
    ['x.test:443', 'https://x.test', true],
    ['x.test:80', 'http://x.test', true],
    ['x.test:8080', 'https://x.test:8080', true],
    ['x.test:8080', 'https://x.test', false],
    ['127.0.0.1', 'http://127.0.0.1:99', true],
    ['[::1]', 'http://[::1]:99', true],
    ['[::1]:99', 'http://[::1]:99', true],
    ['::1', 'http://[::1]:99', true],
    [',', 'https://x.test', false],
  ])('with NO_PROXY=%s goes to %s directly: %s', (exceptions, url, isDirect) => {
    const proxyFor = proxyFromEnvironment({ HTTPS_PROXY: A, NO_PROXY: exceptions })!;
    expect(proxyFor(new URL(url))).toBe(isDirect ? undefined : A);
  });
});
