import { createFakeClock } from '@castor/testkit';
import { describe, expect, it } from 'vitest';
import { createSessionId } from './session-id.ts';

describe('createSessionId', () => {
  it('gives well-formed ids of version 4 that differ', () => {
    const clock = createFakeClock();
    const ids = Array.from({ length: 1000 }, () => createSessionId(clock));
    const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect([ids.filter((id) => !shape.test(id)), new Set(ids).size]).toEqual([[], 1000]);
  });
});
