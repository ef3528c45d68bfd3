/** The generated filter, run by an interpreter of classic BPF for every call number of both architectures. */

import { describe, expect, it } from 'vitest';
import { callTable } from './seccomp-calls.ts';
import { createSeccompFilter } from './seccomp-filter.ts';

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const EAFNOSUPPORT = 0x00050061;
const KILL = 0x80000000;

interface Call {
  number: number;
  audit: number;
  args?: number[];
}

/** What the kernel would do. Throws for an instruction that it would reject. */
function run(program: Buffer, { number, audit, args = [] }: Call): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(audit >>> 0, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8);
    const whenTrue = program.readUInt8(at * 8 + 2);
    const whenFalse = program.readUInt8(at * 8 + 3);
    const value = program.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x06) return value;
    else {
      const isTrue =
        code === 0x15
          ? accumulator === value
          : code === 0x35
            ? accumulator >= value
            : code === 0x45
              ? (accumulator & value) !== 0
              : fail(code);
      at += isTrue ? whenTrue : whenFalse;
    }
  }
  throw new Error('The program ran past its end.');
}

function fail(code: number): never {
  throw new Error(`unknown instruction ${code}`);
}

describe.each(['x64', 'arm64'])('the filter for %s', (architecture) => {
  const table = callTable(architecture)!;
  const program = createSeccompFilter(architecture)!;
  const call = (number: number, ...args: number[]) => run(program, { number, audit: table.audit, args });

  it('decides on every number as the table says', () => {
    const denied = new Set(Object.values(table.denied));
    const missing = new Set(Object.values(table.missing));
    for (let number = 0; number < 600; number++) {
      if (number === table.socket) continue;
      const expected = denied.has(number) ? EPERM : missing.has(number) ? ENOSYS : ALLOW;
      expect([number, call(number)]).toEqual([number, expected]);
    }
  });

  it('denies new namespaces, and no other clone', () => {
    expect(call(table.clone, 0x01200011)).toBe(ALLOW);
    expect(call(table.clone, 0x003d0f00)).toBe(ALLOW);
    for (const flag of [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
      expect(call(table.clone, flag | 0x11)).toBe(EPERM);
      expect(call(table.unshare, flag)).toBe(EPERM);
    }
    expect(call(table.unshare, 0x80)).toBe(EPERM);
    expect(call(table.unshare, 0x400)).toBe(ALLOW);
  });

  it('denies typing into a terminal, and no other control of it', () => {
    expect([0x5412, 0x541c].map((request) => call(table.ioctl, 0, request))).toEqual([EPERM, EPERM]);
    expect([0x5401, 0x5413, 0x5414].map((request) => call(table.ioctl, 0, request))).toEqual([ALLOW, ALLOW, ALLOW]);
  });

  it('allows four families of sockets', () => {
    const allowed = Array.from({ length: 50 }, (_, family) => family).filter(
      (family) => call(table.socket, family) === ALLOW,
    );
    expect(allowed).toEqual([1, 2, 10, 16]);
    expect(call(table.socket, 40)).toBe(EAFNOSUPPORT);
  });

  it('kills a call of another architecture', () => {
    expect(run(program, { number: 0, audit: 0x40000003 })).toBe(KILL);
  });

  it.skipIf(architecture !== 'x64')('knows no call of the x32 interface', () => {
    expect(call(0x40000000 + 1)).toBe(ENOSYS);
  });
});

it('has no filter for an architecture without a table', () => {
  expect(createSeccompFilter('riscv64')).toBeUndefined();
});
