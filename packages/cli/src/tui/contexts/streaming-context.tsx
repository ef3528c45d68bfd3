/** Provides the state of the session to every component. Derived from the transcript, never set. */

import { createContext } from 'react';
import { StreamingState } from '@castor/core';

export const StreamingContext = createContext<StreamingState>(StreamingState.Idle);
