import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

/** If the element with the focus is removed within `root`, the nearest one that is left gets it: never the body. */
export function useKeptFocus(root: RefObject<HTMLElement>, fallback: RefObject<HTMLElement>): void {
  useEffect(() => {
    const { current: element } = root
    if (!element) return
    let around: readonly Element[] = []
    const onFocus = ({ target }: FocusEvent): void => {
      around = target instanceof Element ? ancestorsOf(target) : []
    }
    const observer = new MutationObserver(() => {
      if (around.length === 0 || around[0]?.isConnected || document.activeElement !== document.body) return
      const left = around.find((each) => each.isConnected && each.matches('section[tabindex]'))
      around = []
      ;((left as HTMLElement | undefined) ?? fallback.current)?.focus({ preventScroll: true }) // an element with a tab index
    })
    element.addEventListener('focusin', onFocus)
    observer.observe(element, { childList: true, subtree: true })
    return () => {
      element.removeEventListener('focusin', onFocus)
      observer.disconnect()
    }
  }, [])
}

/** The element itself first. */
function ancestorsOf(element: Element): readonly Element[] {
  const above: Element[] = []
  for (let at: Element | null = element; at; at = at.parentElement) above.push(at)
  return above
}
