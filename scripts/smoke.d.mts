import type { RouteKey } from '../src/client.ts'

export function smokeTest(options?: {
  readonly onAnswer?: (key: RouteKey, answer: unknown) => void
}): Promise<number>
