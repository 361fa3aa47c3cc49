// Derivatives of rigid-body dynamics by Pinocchio behind a C interface: built by pinocchio_compiled.py, called by benchmarks/derivatives.py.
#define BOOST_MPL_LIMIT_LIST_SIZE 30
#define BOOST_MPL_LIMIT_VECTOR_SIZE 30
#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_FUSION_INVOKE_MAX_ARITY 12
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>

using namespace pinocchio;
typedef Eigen::Map<const Eigen::VectorXd> V;
typedef Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> M;
struct Peer {
    Model model;
    Data data;
    Data::Tensor3x d2q, d2v, d2qv, d2qa;
    explicit Peer(const Model& m) : model(m), data(m), d2q(m.nv, m.nv, m.nv), d2v(m.nv, m.nv, m.nv), d2qv(m.nv, m.nv, m.nv), d2qa(m.nv, m.nv, m.nv) {}
};

extern "C" {
// kind: 0, 1, 2 hinge about x, y, z; 3 hinge about another axis; 4 ball; 5 free. R, I: by rows.
void* peer_new(int n, const int* parent, const int* kind, const double* axis, const double* R, const double* p, const double* mass,
               const double* com, const double* I, const double* gravity) {
    typedef Eigen::Map<const Eigen::Vector3d> V3;
    typedef Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> M3;
    Model m;
    m.gravity.linear() = V3(gravity);
    for (int i = 0; i < n; i++) {
        JointModel joint;
        switch (kind[i]) {
            case 0: joint = JointModelRX(); break;
            case 1: joint = JointModelRY(); break;
            case 2: joint = JointModelRZ(); break;
            case 3: joint = JointModelRevoluteUnaligned(Eigen::Vector3d(V3(axis + 3 * i))); break;
            case 4: joint = JointModelSpherical(); break;
            default: joint = JointModelFreeFlyer();
        }
        JointIndex id = m.addJoint(parent[i] + 1, joint, SE3(M3(R + 9 * i), V3(p + 3 * i)), "joint" + std::to_string(i));
        m.appendBodyToJoint(id, Inertia(mass[i], V3(com + 3 * i), M3(I + 9 * i)), SE3::Identity());
    }
    return new Peer(m);
}
void peer_delete(void* peer) { delete static_cast<Peer*>(peer); }
int peer_nq(void* peer) { return static_cast<Peer*>(peer)->model.nq; }
int peer_nv(void* peer) { return static_cast<Peer*>(peer)->model.nv; }
// out: d/dq, d/dv, and M^-1 or M, of the last of `count` states.
void forward_derivatives(void* peer, int count, const double* q, const double* v, const double* tau, double* out) {
    Peer& p = *static_cast<Peer*>(peer);
    const int nq = p.model.nq, n = p.model.nv;
    for (int k = 0; k < count; k++)
        computeABADerivatives(p.model, p.data, V(q + k * nq, nq), V(v + k * n, n), V(tau + k * n, n));
    p.data.Minv.triangularView<Eigen::StrictlyLower>() = p.data.Minv.transpose().triangularView<Eigen::StrictlyLower>();
    M(out, n, n) = p.data.ddq_dq, M(out + n * n, n, n) = p.data.ddq_dv, M(out + 2 * n * n, n, n) = p.data.Minv;
}
void inverse_derivatives(void* peer, int count, const double* q, const double* v, const double* a, double* out) {
    Peer& p = *static_cast<Peer*>(peer);
    const int nq = p.model.nq, n = p.model.nv;
    for (int k = 0; k < count; k++)
        computeRNEADerivatives(p.model, p.data, V(q + k * nq, nq), V(v + k * n, n), V(a + k * n, n));
    p.data.M.triangularView<Eigen::StrictlyLower>() = p.data.M.transpose().triangularView<Eigen::StrictlyLower>();
    M(out, n, n) = p.data.dtau_dq, M(out + n * n, n, n) = p.data.dtau_dv, M(out + 2 * n * n, n, n) = p.data.M;
}
// lambda contracted with the tensors: (2n, 2n) by (q, v).
void inverse_second(void* peer, int count, const double* q, const double* v, const double* a, const double* lambda, double* out) {
    Peer& p = *static_cast<Peer*>(peer);
    const int nq = p.model.nq, n = p.model.nv;
    for (int k = 0; k < count; k++)
        ComputeRNEASecondOrderDerivatives(p.model, p.data, V(q + k * nq, nq), V(v + k * n, n), V(a + k * n, n), p.d2q, p.d2v, p.d2qv, p.d2qa);
    M H(out, 2 * n, 2 * n);
    H.setZero();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int r = 0; r < n; r++) {
                H(i, j) += lambda[r] * p.d2q(r, i, j);
                H(n + i, n + j) += lambda[r] * p.d2v(r, i, j);
                H(i, n + j) += lambda[r] * p.d2qv(r, i, j);
                H(n + j, i) += lambda[r] * p.d2qv(r, i, j);
            }
}
}
