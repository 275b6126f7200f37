import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Whether nothing refers to it any more. It must have been made in a function that has ended. */
export async function isCollected(what: WeakRef<object>): Promise<boolean> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void // the flag defines it
  // A WeakRef keeps its target until the current job has ended.
  await new Promise(setImmediate)
  collect()
  return what.deref() === undefined
}
