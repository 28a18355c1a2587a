import {
  type Attributes,
  type Context,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
  trace,
} from "@opentelemetry/api";

export interface RecordedSpan {
  readonly name: string;
  /** Name of the parent span. */
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly status: SpanStatus | undefined;
  readonly exceptions: readonly string[];
  readonly hasEnded: boolean;
  readonly spanId: string;
}

/** The smallest tracer that can be registered with OpenTelemetry: it records the spans. */
export class MemoryTracer {
  readonly spans: MemorySpan[] = [];

  getTracer(): Tracer {
    const start = (name: string, options: SpanOptions = {}, context?: Context): Span => {
      const parent = context && (trace.getSpan(context) as unknown as MemorySpan | undefined);
      const span = new MemorySpan(
        name,
        parent?.name,
        { ...options.attributes },
        `${this.spans.length + 1}`.padStart(16, "0"),
      );
      this.spans.push(span);
      return span as unknown as Span;
    };
    return { startSpan: start } as Tracer;
  }
}

class MemorySpan implements RecordedSpan {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  readonly spanId: string;
  readonly exceptions: string[] = [];
  status: SpanStatus | undefined;
  hasEnded = false;

  constructor(name: string, parent: string | undefined, attributes: Attributes, spanId: string) {
    this.name = name;
    this.parent = parent;
    this.attributes = attributes;
    this.spanId = spanId;
  }

  spanContext() {
    return { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: this.spanId, traceFlags: 1 };
  }

  setAttribute(name: string, value: string): void {
    this.attributes[name] = value;
  }

  recordException(error: Error | string): void {
    this.exceptions.push(typeof error === "string" ? error : error.message);
  }

  setStatus(status: SpanStatus): void {
    this.status = status;
  }

  end(): void {
    this.hasEnded = true;
  }
}
