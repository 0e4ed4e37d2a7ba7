/* The dump of a context of the larger layout, as a C programmer writes it: snprintf into one buffer. */
#include "peer.h"

#include <stdio.h>
#include <string.h>

enum { RING_ROWS = 32, RING_ROW = 148, MESH_EVENTS = 108, MESH_EVENT = 80, MESH = 4736, STUB = 13376, STATE = 17120 };

struct out {
    char *text;
    size_t length, room;
    bool pretty;
};

#define PRINT(out, ...) \
    ((out)->length += (size_t)snprintf((out)->text + (out)->length, (out)->room - (out)->length, __VA_ARGS__))

static uint64_t u64_at(const uint8_t *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t u32_at(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static unsigned u16_at(const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static void line(struct out *out, int depth) {
    if (out->pretty)
        PRINT(out, "\n%*s", 2 * depth, "");
}

/* `"key": ` on a line of its own. */
static void key(struct out *out, int depth, const char *name) {
    if (out->pretty)
        PRINT(out, "\n%*s\"%s\": ", 2 * depth, "", name);
    else
        PRINT(out, "\"%s\":", name);
}

static void integer(struct out *out, int depth, const char *name, uint64_t value, const char *behind) {
    if (out->pretty)
        PRINT(out, "\n%*s\"%s\": %llu%s", 2 * depth, "", name, (unsigned long long)value, behind);
    else
        PRINT(out, "\"%s\":%llu%s", name, (unsigned long long)value, behind);
}

static void address(struct out *out, int depth, const char *name, uint64_t value, const char *behind) {
    unsigned long long number = value;
    if (out->pretty)
        PRINT(out, "\n%*s\"%s\": {\n%*s\"soc_addr\": \"0x%016llX\"\n%*s}%s", 2 * depth, "", name, 2 * depth + 2, "", number,
              2 * depth, "", behind);
    else
        PRINT(out, "\"%s\":{\"soc_addr\":\"0x%016llX\"}%s", name, number, behind);
}

static void semaphore(struct out *out, int depth, const char *name, uint64_t value) {
    key(out, depth, name);
    PRINT(out, "{");
    address(out, depth + 1, "addr", value, "");
    line(out, depth);
    PRINT(out, "},");
}

static void broadcast(struct out *out, int depth, const char *name, const uint8_t *bytes) {
    key(out, depth, name);
    PRINT(out, "{");
    address(out, depth + 1, "m2s_tail_ptr", u64_at(bytes), ",");
    address(out, depth + 1, "s2m_tail_ptr", u64_at(bytes + 8), ",");
    integer(out, depth + 1, "mask", u32_at(bytes + 16), "");
    line(out, depth);
    PRINT(out, "},");
}

static void neighbor(struct out *out, int depth, const char *name, const uint8_t *bytes) {
    int live = bytes[24] < 3 ? bytes[24] : 3;
    key(out, depth, name);
    PRINT(out, "{");
    integer(out, depth + 1, "fold_n", bytes[24], ",");
    integer(out, depth + 1, "type", bytes[25], ",");
    key(out, depth + 1, "net_idx_addrs");
    PRINT(out, "[");
    for (int i = 0; i < live; i++) {
        line(out, depth + 2);
        PRINT(out, "\"0x%016llX\"%s", (unsigned long long)u64_at(bytes + 8 * i), i + 1 < live ? "," : "");
    }
    if (live > 0)
        line(out, depth + 1);
    PRINT(out, "]");
    line(out, depth);
    PRINT(out, "},");
}

static void ring_channel(struct out *out, int depth, int row, const uint8_t *bytes) {
    line(out, depth);
    PRINT(out, "{");
    neighbor(out, depth + 1, "next_neigh", bytes);
    neighbor(out, depth + 1, "prev_neigh", bytes + 28);
    semaphore(out, depth + 1, "recv_sema", u64_at(bytes + 56));
    semaphore(out, depth + 1, "send_sema", u64_at(bytes + 64));
    semaphore(out, depth + 1, "post_sema", u64_at(bytes + 72));
    semaphore(out, depth + 1, "dma_compl_sema", u64_at(bytes + 80));
    key(out, depth + 1, "kring_peer_semas");
    PRINT(out, "{");
    semaphore(out, depth + 2, "mine", u64_at(bytes + 88));
    key(out, depth + 2, "peers");
    PRINT(out, "[");
    for (int i = 0; i < 3; i++) {
        line(out, depth + 3);
        PRINT(out, "{");
        integer(out, depth + 4, "peer_id", (uint64_t)i, ",");
        address(out, depth + 4, "addr", u64_at(bytes + 96 + 8 * i), "");
        line(out, depth + 3);
        PRINT(out, i < 2 ? "}," : "}");
    }
    line(out, depth + 2);
    PRINT(out, "]");
    line(out, depth + 1);
    PRINT(out, "},");
    broadcast(out, depth + 1, "dma_apb_bcast", bytes + 120);
    integer(out, depth + 1, "channel_id", (uint64_t)row, ",");
    integer(out, depth + 1, "spad_slot_idx", bytes[141], ",");
    integer(out, depth + 1, "fold_n", bytes[142], ",");
    integer(out, depth + 1, "kangaring_is_primary", bytes[143], ",");
    integer(out, depth + 1, "kangaring_num_peers", bytes[144], "");
    line(out, depth);
    PRINT(out, row + 1 < RING_ROWS ? "}," : "}");
}

static void mesh_event(struct out *out, int depth, int index, const uint8_t *bytes) {
    line(out, depth);
    PRINT(out, "{");
    broadcast(out, depth + 1, "dma_apb_bcast_0", bytes);
    broadcast(out, depth + 1, "dma_apb_bcast_1", bytes + 20);
    semaphore(out, depth + 1, "direct_trigger_sema_0", u64_at(bytes + 40));
    semaphore(out, depth + 1, "direct_trigger_sema_1", u64_at(bytes + 48));
    semaphore(out, depth + 1, "direct_trigger_sema_2", u64_at(bytes + 56));
    semaphore(out, depth + 1, "event_wait_sema", u64_at(bytes + 64));
    integer(out, depth + 1, "wait_val", u32_at(bytes + 72), ",");
    integer(out, depth + 1, "event_type", bytes[76], ",");
    integer(out, depth + 1, "dma_trigger", bytes[77], ",");
    integer(out, depth + 1, "direct_trigger", bytes[78], ",");
    integer(out, depth + 1, "wait_event", bytes[79], "");
    line(out, depth);
    PRINT(out, index + 1 < MESH_EVENTS ? "}," : "}");
}

static void live_row(struct out *out, int depth, int row, const uint8_t *bytes) {
    line(out, depth);
    PRINT(out, "{");
    integer(out, depth + 1, "channel_id", (uint64_t)row, ",");
    integer(out, depth + 1, "recv_cnt", u16_at(bytes), ",");
    integer(out, depth + 1, "send_credit", u16_at(bytes + 2), ",");
    integer(out, depth + 1, "repeat_cnt", u16_at(bytes + 4), ",");
    integer(out, depth + 1, "m2s_val", u16_at(bytes + 6), ",");
    integer(out, depth + 1, "s2m_val", u16_at(bytes + 8), ",");
    integer(out, depth + 1, "slot_idx", bytes[14], ",");
    integer(out, depth + 1, "run_state", bytes[15], "");
    line(out, depth);
    PRINT(out, row + 1 < RING_ROWS ? "}," : "}");
}

size_t peer_dump_c(const uint8_t *context, bool pretty, char *text, size_t room) {
    struct out state = {text, 0, room, pretty}, *out = &state;
    const uint8_t *live = context + STATE;
    PRINT(out, "{");
    key(out, 1, "model_name");
    PRINT(out, "\"m\",");
    key(out, 1, "ncfw_ctx_top_sp");
    PRINT(out, "{");
    key(out, 2, "configs");
    PRINT(out, "{");
    key(out, 3, "algo");
    PRINT(out, "{");
    key(out, 4, "ring");
    PRINT(out, "{");
    key(out, 5, "channels");
    PRINT(out, "[");
    for (int row = 0; row < RING_ROWS; row++)
        ring_channel(out, 6, row, context + RING_ROW * row);
    line(out, 5);
    PRINT(out, "]");
    line(out, 4);
    PRINT(out, "},");
    key(out, 4, "mesh");
    PRINT(out, "{");
    key(out, 5, "events");
    PRINT(out, "[");
    for (int index = 0; index < MESH_EVENTS; index++)
        mesh_event(out, 6, index, context + MESH + MESH_EVENT * index);
    line(out, 5);
    PRINT(out, "]");
    line(out, 4);
    PRINT(out, "},");
    key(out, 4, "hierarchical");
    PRINT(out, "{");
    key(out, 5, "__stub");
    PRINT(out, "\"0x%016llX\"", (unsigned long long)u64_at(context + STUB));
    line(out, 4);
    PRINT(out, "}");
    line(out, 3);
    PRINT(out, "},");
    key(out, 3, "neff");
    PRINT(out, "{},");
    key(out, 3, "dev");
    PRINT(out, "{}");
    line(out, 2);
    PRINT(out, "},");
    key(out, 2, "neff");
    PRINT(out, "{},");
    key(out, 2, "algo");
    PRINT(out, "{");
    key(out, 3, "ring");
    PRINT(out, "{");
    key(out, 4, "channels");
    PRINT(out, "[");
    for (int row = 0; row < RING_ROWS; row++)
        live_row(out, 5, row, live + 16 * row);
    line(out, 4);
    PRINT(out, "]");
    line(out, 3);
    PRINT(out, "},");
    key(out, 3, "hierarchical");
    PRINT(out, "{");
    integer(out, 4, "run_state", live[512], "");
    line(out, 3);
    PRINT(out, "},");
    key(out, 3, "mesh");
    PRINT(out, "{");
    integer(out, 4, "event_index", u16_at(live + 516), "");
    line(out, 3);
    PRINT(out, "}");
    line(out, 2);
    PRINT(out, "}");
    line(out, 1);
    PRINT(out, "}");
    line(out, 0);
    PRINT(out, "}\n");
    return out->length;
}
