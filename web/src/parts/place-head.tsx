import type { ComponentChildren } from 'preact'
import { usePageTitle } from '../state/page-title.ts'

export interface PlaceHeadProps {
  readonly title: string
  /** One line beside the title. */
  readonly about?: ComponentChildren
  readonly children?: ComponentChildren
  /** What the tab is called, where it is not the title: `github · Servers`. */
  readonly tab?: string
}

/** The head of a place: its only h1, what is to say about all of it, its actions. */
export function PlaceHead({ title, about, children, tab }: PlaceHeadProps) {
  usePageTitle(tab ?? title)
  return (
    <div class="place-head">
      <h1>{title}</h1>
      {about && <span class="dim">{about}</span>}
      <span class="grow" />
      {children && <div class="place-actions">{children}</div>}
    </div>
  )
}
