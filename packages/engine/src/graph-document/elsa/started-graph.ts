import type { GraphBody } from '../../graph/document.ts'
import type { Site } from './site.ts'

/** A graph starts at what nothing leads to. When ways lead back to where Elsa started, it gets a step before that. */
export function startedGraph(
  { conversion, graph }: Pick<Site, 'conversion' | 'graph'>,
  entry: string | undefined,
): GraphBody {
  if (entry !== undefined && graph.hasIncoming(entry)) {
    const start = graph.add({
      id: conversion.ids.give('start', 'a'),
      type: 'log',
      inputs: { message: 'start', level: 'debug' },
    })
    graph.connect([{ from: start }], entry)
  }
  return graph.build()
}
