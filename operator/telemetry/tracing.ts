import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { Reconcile } from "../ports.ts";

type Api = typeof import("@opentelemetry/api");

/** Spans were requested, and the required package is not installed. */
export class TracingError extends Error {
  override readonly name = "TracingError";
}

/**
 * Spans with the OpenTelemetry SDK that this process has registered; without an SDK they are dropped. Only the API
 * package is needed, and only here: it is imported when tracing is enabled.
 *
 * @throws TracingError when it is not installed.
 */
export async function loadTracing(version: string): Promise<Tracing> {
  let api: Api;
  try {
    api = await import("@opentelemetry/api");
  } catch (cause) {
    throw new TracingError("Cannot trace: install the package @opentelemetry/api, or omit --tracing", {
      cause,
    });
  }
  return new Tracing(api, api.trace.getTracer("fairlead", version));
}

/** Wraps what a reconcile does, so that each call is a span below that of the reconcile. */
export class Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  /** Context storage of our own, because an SDK may not include a context manager. */
  readonly #context = new AsyncLocalStorage<Context>();

  constructor(api: Api, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** Each run is a span, and its log lines contain the ids of its trace. */
  reconcile(controller: string, reconcile: Reconcile): Reconcile {
    return (key, options) => {
      const [name = "", namespace] = key.split("/").reverse();
      const attributes = { "fairlead.controller": controller, ...nameAttributes({ name, namespace }) };
      return this.asyncSpan("reconcile", attributes, (span) => {
        const context = span.spanContext();
        // Without an SDK, or if it does not sample this span, there is nothing to look up.
        if (!this.#api.isSpanContextValid(context)) return reconcile(key, options);
        const ids = { traceID: context.traceId, spanID: context.spanId };
        return reconcile(key, { ...options, log: options.log.child(ids) });
      });
    };
  }

  async asyncSpan<T>(name: string, attributes: Attributes, action: (span: Span) => Promise<T>): Promise<T> {
    const { span, context } = this.#start(name, attributes);
    try {
      return await this.#within(context, () => action(span));
    } catch (error) {
      this.#fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  syncSpan<T>(name: string, attributes: Attributes, action: (span: Span) => T): T {
    const { span, context } = this.#start(name, attributes);
    try {
      return this.#within(context, () => action(span));
    } catch (error) {
      this.#fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  #start(name: string, attributes: Attributes): { readonly span: Span; readonly context: Context } {
    const parent = this.#context.getStore() ?? this.#api.context.active();
    const span = this.#tracer.startSpan(name, { attributes }, parent);
    return { span, context: this.#api.trace.setSpan(parent, span) };
  }

  /** Also in the SDK's context: spans of its own instrumentation are then below this one. */
  #within<T>(context: Context, action: () => T): T {
    return this.#context.run(context, () => this.#api.context.with(context, action));
  }

  #fail(span: Span, error: unknown): void {
    const exception = error instanceof Error ? error : String(error);
    span.recordException(exception);
    const message = typeof exception === "string" ? exception : exception.message;
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
  }
}

/** Attributes that name an object of Kubernetes. */
export function nameAttributes({
  kind,
  name,
  namespace,
}: {
  readonly kind?: string;
  readonly name: string;
  readonly namespace: string | undefined;
}): Attributes {
  return {
    ...(kind !== undefined && { "fairlead.kind": kind }),
    "fairlead.name": name,
    ...(namespace !== undefined && { "k8s.namespace.name": namespace }),
  };
}
