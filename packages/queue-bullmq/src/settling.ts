/** Settling: a claim ends with a result or another turn, in one write of the book. A claim that is no longer valid only tells its spending. */

import { unrunResult } from '@castor/batch';
import type { Claim, Settlement } from '@castor/batch';
import { amend } from './book.ts';
import type { Amendment, Book } from './book.ts';
import {
  account,
  accountPlace,
  batchPlace,
  endTask,
  holdPlace,
  NEW_ACCOUNT,
  resultPlace,
  spentBy,
} from './documents.ts';
import { taskPlace } from './documents.ts';
import type { Account, BatchDocument, TaskDocument } from './documents.ts';
import type { Holder } from './holder.ts';

export interface Settled {
  /** Another worker has the task, or the batch is gone. */
  isValid: boolean;
  /** Of the result; undefined when the task waits again. */
  status?: string;
  delayMs: number;
}

interface Settling {
  claim: Claim;
  settlement: Settlement;
  holder: Holder;
  now: number;
}

export function settleTask(book: Book, settling: Settling): Promise<Settled> {
  const { claim, holder } = settling;
  const places = [
    taskPlace(claim.batch, claim.task.id),
    accountPlace(claim.batch),
    batchPlace(claim.batch),
    holdPlace(holder.host, claim.batch, claim.task.id),
  ];
  return amend<Settled>(book, places, ([known, sums, batch]) => {
    const document = known as TaskDocument | undefined;
    if (!document || !batch) return { documents: [], result: { isValid: false, delayMs: 0 } };
    const state = { document, sums: (sums as Account | undefined) ?? NEW_ACCOUNT, batch: batch as BatchDocument };
    return decide(settling, state);
  });
}

interface State {
  document: TaskDocument;
  sums: Account;
  batch: BatchDocument;
}

function decide({ claim, settlement, holder, now }: Settling, state: State): Amendment<Settled> {
  const { batch: id, task, number } = claim;
  const { machine } = holder;
  const [taskAt, accountAt] = [taskPlace(id, task.id), accountPlace(id)];
  const isValid = state.document.isOpen && state.document.claim === number;
  const counted = account(state.sums, state.document, { task: task.id, machine, spent: settlement.spent });
  if (!isValid) {
    // On the same machine the next claim tells the whole; another machine cannot know what was spent here.
    const isOther = state.document.machine !== undefined && state.document.machine !== machine;
    const documents = isOther
      ? ([
          [taskAt, counted.document],
          [accountAt, counted.sums],
        ] as const)
      : [];
    return { documents, result: { isValid: false, delayMs: 0 } };
  }
  const free = [holdPlace(holder.host, id, task.id), undefined] as const;
  const isTry = settlement.kind === 'again';
  const failedTries = counted.document.failedTries + (isTry ? 1 : 0);
  const { interruptions } = counted.document;
  const unrun = { id: task.id, spent: spentBy(counted.document), failedTries, interruptions, now };
  const result =
    settlement.kind === 'result'
      ? settlement.result
      : state.batch.state === 'cancelled'
        ? unrunResult('cancelled', unrun)
        : undefined;
  if (result) {
    const ended = endTask(counted.sums, { ...counted.document, failedTries }, result);
    return {
      documents: [[taskAt, ended.document], [accountAt, ended.sums], [resultPlace(id, ended.sums.last), result], free],
      result: { isValid: true, status: result.status, delayMs: 0 },
    };
  }
  const { [task.id]: _free, ...reserved } = counted.sums.reserved;
  const waiting: TaskDocument = {
    ...counted.document,
    ...{ isOpen: false, failedTries, crashes: 0, keptUntil: undefined, ...(isTry && { machine: undefined }) },
  };
  return {
    documents: [[taskAt, waiting], [accountAt, { ...counted.sums, reserved }], free],
    result: { isValid: true, delayMs: settlement.kind === 'return' ? settlement.delayMs : 0 },
  };
}
