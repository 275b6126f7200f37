import { escapeLine } from '../terminal/escape.ts'

const periodMs = 5 * 60_000
/** Printed in `periodMs`: requests that fail again and again must not fill the terminal, where codes are shown (T37). */
const maxPrinted = 5
const maxLength = 500

/** Prints unexpected errors for the person at the terminal. The message may have texts of a request, which begin no line of their own (T18). */
export function createFailurePrinter(print: (text: string) => void, now: () => number = Date.now) {
  let times: readonly number[] = []
  return (error: Error): void => {
    times = times.filter((at) => now() - at < periodMs)
    if (times.length >= maxPrinted) return
    times = [...times, now()]
    const { name, message, stack = '' } = error
    const at = stack.indexOf(message)
    const frames = at === -1 ? '' : stack.slice(at + message.length)
    print(`A request failed unexpectedly: ${escapeLine(`${name}: ${message}`.slice(0, maxLength))}${frames}`)
  }
}
