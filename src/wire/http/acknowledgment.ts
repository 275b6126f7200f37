import type { Hearer } from './exchange.ts'

/** For what needs no answer: that it arrived, or not, is all there is to know. */
export function acknowledgment(done: (isTaken: boolean) => void = () => undefined): Hearer {
  return {
    onHeaders: (status) => done(status < 300),
    onData: () => undefined,
    onEnd: () => undefined,
    onError: () => done(false),
  }
}
