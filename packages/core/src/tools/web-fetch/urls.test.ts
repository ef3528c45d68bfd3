import { describe, expect, it } from 'vitest';
import { findUrls } from './urls.ts';

describe('findUrls', () => {
  it.each([
    ['Read https://example.com/a and http://b.org', ['https://example.com/a', 'http://b.org/']],
    [
      'See (https://example.com/a), "https://b.org/x". <https://c.org/y>!',
      ['https://example.com/a', 'https://b.org/x', 'https://c.org/y'],
    ],
    ['[docs](https://example.com/a_(b))', ['https://example.com/a_(b)']],
    ['HTTPS://EXAMPLE.com:443/Path/', ['https://example.com/Path']],
    ['http://example.com:80/ https://example.com:8443/', ['http://example.com/', 'https://example.com:8443/']],
    ['https://example.com/a https://EXAMPLE.com/a/', ['https://example.com/a']],
    ['https://example.com./a', ['https://example.com/a']],
    ['https://github.com/o/r/blob/main/src/a.ts', ['https://raw.githubusercontent.com/o/r/main/src/a.ts']],
    ['https://github.com/o/r/issues/1', ['https://github.com/o/r/issues/1']],
    ['nothing here', []],
  ])('in %j', (text, expected) => {
    const { urls, problems } = findUrls(text);
    expect({ urls: urls.map(({ href }) => href), problems }).toEqual({ urls: expected, problems: [] });
  });

  it.each([
    ['ftp://example.com/a', 'Unsupported protocol in URL: "ftp://example.com/a". Only http and https are supported.'],
    ['file:///etc/passwd', 'Unsupported protocol in URL: "file:///etc/passwd". Only http and https are supported.'],
    ['https://', 'Malformed URL: "https://".'],
    ['http://[::1', 'Malformed URL: "http://[::1".'],
    ['https://trusted.com@evil.tld/', 'A URL must not contain a user name or password: "evil.tld".'],
    ['https://exa%00mple.com/', 'Malformed URL: "https://exa%00mple.com/".'],
    [`https://example.com/${'a'.repeat(9_000)}`, 'A URL must not be longer than 8192 characters.'],
  ])('refuses %j', (text, problem) => {
    expect(findUrls(text)).toEqual({ urls: [], problems: [problem] });
  });

  it('takes no longer for a word made to be slow', () => {
    expect(findUrls(`${'a'.repeat(1_000_000)}!://${')'.repeat(1_000_000)}`).problems).toHaveLength(1);
  });
});
