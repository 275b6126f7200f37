import type { ClientCall } from '../../../../src/client.ts'

/** The newest first, each as it was told last. */
export function mergeCalls(read: readonly ClientCall[], later: readonly ClientCall[]): readonly ClientCall[] {
  const byId = new Map([...read, ...later].map((call) => [call.id, call]))
  return [...byId.values()].sort((a, b) => b.at - a.at)
}
