import { useRef, useState } from 'preact/hooks'

export interface HeldOrder<T> {
  readonly shown: readonly T[]
  /** New items that are not shown yet. */
  readonly fresh: readonly T[]
}

/**
 * The items in the order of `keys`, which a person is looking at: known ones are drawn with what is new about them, gone
 * ones vanish, and new ones wait, so that nothing moves under the pointer. New ones after all others move nothing, and are
 * drawn at once.
 */
export function holdOrder<T>(
  keys: readonly string[],
  items: readonly T[],
  keyOf: (item: T) => string,
): HeldOrder<T> {
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  const known = new Set(keys)
  const isNew = (item: T): boolean => !known.has(keyOf(item))
  const end = items.findLastIndex((item) => !isNew(item)) + 1
  const held = keys.flatMap((key) => byKey.get(key) ?? [])
  return { shown: [...held, ...items.slice(end)], fresh: items.slice(0, end).filter(isNew) }
}

/**
 * Holds the order of a list while the pointer is on it or the focus is in it. Spread `hold` on the list. `order` names what
 * the person chose (a filter, a sorting): another one is shown at once.
 */
export function useHeldOrder<T>(items: readonly T[], keyOf: (item: T) => string, order = '') {
  const [reasons, setReasons] = useState({ pointer: false, focus: false })
  const keys = useRef<readonly string[]>([])
  const heldOrder = useRef(order)
  const isHeld = (reasons.pointer || reasons.focus) && keys.current.length > 0 && heldOrder.current === order
  heldOrder.current = order
  const { shown, fresh } = isHeld ? holdOrder(keys.current, items, keyOf) : { shown: items, fresh: [] }
  // Keys of rows that are gone stay: a server that restarts gets its rows back where they were.
  keys.current = [...new Set([...(isHeld ? keys.current : []), ...shown.map(keyOf)])]
  const release = (): void => {
    keys.current = items.map(keyOf)
    setReasons({ ...reasons })
  }
  const hold = {
    onPointerEnter: (event: PointerEvent) =>
      event.pointerType === 'mouse' && setReasons((each) => ({ ...each, pointer: true })),
    onPointerLeave: () => setReasons((each) => ({ ...each, pointer: false })),
    onFocusIn: () => setReasons((each) => ({ ...each, focus: true })),
    onFocusOut: (event: FocusEvent) => {
      const isInside =
        event.relatedTarget instanceof Node && contains(event.currentTarget, event.relatedTarget)
      if (!isInside) setReasons((each) => ({ ...each, focus: false }))
    },
  }
  return { shown, fresh, release, hold }
}

function contains(container: EventTarget | null, node: Node): boolean {
  return container instanceof Node && container.contains(node)
}
