import { afterEach, describe, expect, it } from 'vitest';
import { debugLogger } from './debug-logger.ts';

describe('debugLogger', () => {
  let disconnect = () => {};
  afterEach(() => disconnect());

  function listen(): string[] {
    const lines: string[] = [];
    disconnect = debugLogger.connect((level, message) => lines.push(`${level}: ${message}`));
    return lines;
  }

  it('passes messages on while a sink is connected, and none before or after', () => {
    debugLogger.error('before');
    const lines = listen();
    expect(debugLogger.isEnabled).toBe(true);
    debugLogger.log('a', { b: 1 });
    debugLogger.warn(undefined, 2n);
    disconnect();
    debugLogger.error('after');
    expect(lines).toEqual(['log: a {"b":1}', 'warn: undefined 2']);
    expect(debugLogger.isEnabled).toBe(false);
  });

  it('keeps the secrets of every session that is open, and of none that has ended', () => {
    const lines = listen();
    const first = debugLogger.concealWith((text) => text.replaceAll('one', '1'));
    const second = debugLogger.concealWith((text) => text.replaceAll('two', '2'));
    debugLogger.log('one two');
    first();
    debugLogger.log('one two');
    second();
    debugLogger.log('one two');
    expect(lines).toEqual(['log: 1 2', 'log: one 2', 'log: one two']);
  });

  it.each([
    ['key AIzaSyA1234567890abcdefghijklmnopqrstuvw', 'key [hidden]'],
    ['Authorization: Bearer abcdefghijklmnop', 'Authorization: Bearer [hidden]'],
    ['https://h/v1?alt=sse&key=secret-value&x=1', 'https://h/v1?alt=sse&key=[hidden]&x=1'],
    [{ 'x-goog-api-key': 'abcdefgh-1234' }, '{"x-goog-api-key":"[hidden]"}'],
    ['token ya29.a0Af_x-y', 'token [hidden]'],
    ['{\\"api_key\\":\\"abcdefgh-1234\\"}', '{\\"api_key\\":\\"[hidden]\\"}'],
    ['https://user:pass-word@host/path', 'https://user:[hidden]@host/path'],
    ['"refresh_token": "abcdefgh-1234"', '"refresh_token": "[hidden]"'],
    ['client_secret=abcdefgh-1234&x=1', 'client_secret=[hidden]&x=1'],
    ['password: abcdefgh-1234', 'password: [hidden]'],
    ['Cookie: sid=abcdefgh-1234', 'Cookie: [hidden]'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[hidden]'],
    ['my own-secret-key is here', 'my [hidden] is here'],
    ['an ordinary key: value', 'an ordinary key: value'],
  ])('never passes a credential on: %o', (value, shown) => {
    debugLogger.hide('own-secret-key');
    const lines = listen();
    debugLogger.debug(value);
    expect(lines).toEqual([`debug: ${shown}`]);
  });
});
