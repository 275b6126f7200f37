import { HostError } from '../../src/model/error.ts'
import { RpcError, WireError } from '../../src/wire/wire-error.ts'

/** How a promise ended, as plain data to compare. */
export async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return { value: await promise }
  } catch (error) {
    return toOutcome(error)
  }
}

export function toOutcome(error: unknown): unknown {
  if (error instanceof WireError) return { wire: error.code, message: error.message, sent: error.sent }
  if (error instanceof RpcError) {
    const { code, message, data } = error
    return { rpc: code, message, ...(data !== undefined && { data }) }
  }
  if (error instanceof HostError) return { host: error.code, message: error.message, data: error.data }
  return { error: String(error) }
}

/** Resolves in the next turn of the event loop, after all pending promise callbacks have run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** A signal that counts its listeners. */
export function countedSignal(): {
  readonly signal: AbortSignal
  readonly listeners: number
  abort(): void
} {
  const controller = new AbortController()
  const { signal } = controller
  const listeners = new Map<unknown, boolean>()
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.set(args[1], typeof args[2] === 'object' && args[2].once === true)
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1])
    remove(...args)
  }
  return {
    signal,
    get listeners() {
      return listeners.size
    },
    abort() {
      controller.abort(new Error('no longer wanted'))
      for (const [listener, isOnce] of listeners) if (isOnce) listeners.delete(listener)
    },
  }
}
