import { describe, expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { fakeModel } from './fake-model.ts';
import { fault } from './faults.ts';
import { ERROR_STATUSES, PER_DAY_QUOTA, PER_MINUTE_QUOTA } from './google-errors.ts';
import type { ErrorStatus } from './google-errors.ts';
import { exchange } from './raw-client.ts';
import type { RawAnswer } from './raw-client.ts';
import type { StatusOptions } from './status-faults.ts';

async function meet(step: Answer): Promise<RawAnswer> {
  await using model = await fakeModel([step]);
  const met = await exchange(model.url);
  model.assertDone();
  return met;
}

const howItEnded = ({ status, isWhole, end }: RawAnswer) => ({ status, isWhole, end });

describe('faults of the status', () => {
  it.each(Object.keys(ERROR_STATUSES).map(Number) as ErrorStatus[])(
    '%i comes with the JSON of the service',
    async (status) => {
      const met = await meet(fault(status));
      expect(howItEnded(met)).toEqual({ status, isWhole: true, end: 'fin' });
      expect(met.headers['content-type']).toBe('application/json; charset=UTF-8');
      expect(JSON.parse(met.body)).toEqual({ error: { code: status, ...ERROR_STATUSES[status] } });
    },
  );

  const exhausted = (more: object) => ({ error: { code: 429, ...ERROR_STATUSES[429], ...more } });
  const quotaFailure = (quotaId: string) => ({
    '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
    violations: [{ quotaMetric: 'generativelanguage.googleapis.com/generate_content_requests', quotaId }],
  });
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' };

  it.each<[title: string, options: StatusOptions, expected: object]>([
    ['RetryInfo', { retryDelay: '34.07s' }, exhausted({ details: [retryInfo] })],
    ['a quota per minute', { quotaId: PER_MINUTE_QUOTA }, exhausted({ details: [quotaFailure(PER_MINUTE_QUOTA)] })],
    [
      'a quota per day and a delay',
      { quotaId: PER_DAY_QUOTA, retryDelay: '34.07s' },
      exhausted({
        details: [quotaFailure(PER_DAY_QUOTA), retryInfo],
      }),
    ],
    [
      'ErrorInfo',
      { errorInfo: { reason: 'RATE_LIMIT_EXCEEDED', domain: 'cloudcode-pa.googleapis.com' } },
      exhausted({
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            domain: 'cloudcode-pa.googleapis.com',
            reason: 'RATE_LIMIT_EXCEEDED',
          },
        ],
      }),
    ],
    ['its own words', { message: 'Slow down.' }, exhausted({ message: 'Slow down.' })],
    ['any other detail', { details: [{ '@type': 'x' }] }, exhausted({ details: [{ '@type': 'x' }] })],
    ['a limit of nothing', { limit: 0 }, exhausted({ message: expect.stringMatching(/, limit: 0$/) as string })],
  ])('429 comes with %s', async (_title, options, expected) => {
    const met = await meet(fault(429, options));
    expect(JSON.parse(met.body)).toEqual(expected);
    expect(met.headers['retry-after']).toBeUndefined();
  });

  it('429 comes with a Retry-After header and no details', async () => {
    const met = await meet(fault(429, { retryAfter: 7 }));
    expect(JSON.parse(met.body)).toEqual(exhausted({}));
    expect(met.headers['retry-after']).toBe('7');
  });

  it('refuses a status that is no error of the service', () => {
    expect(() => fault(200 as ErrorStatus)).toThrow('There is no fault for status 200.');
  });

  it('html_body is a page of HTML', async () => {
    const met = await meet(fault('html_body', { status: 500 }));
    expect({ status: met.status, type: met.headers['content-type'], body: met.body }).toEqual({
      status: 500,
      type: 'text/html; charset=UTF-8',
      body: expect.stringMatching(/^<!DOCTYPE html>[^]*Error 500/) as string,
    });
  });

  it('no_body is a status and nothing else', async () => {
    const met = await meet(fault('no_body', { status: 503 }));
    expect({ ...howItEnded(met), body: met.body, length: met.headers['content-length'] }).toEqual({
      status: 503,
      isWhole: true,
      end: 'fin',
      body: '',
      length: '0',
    });
  });
});
